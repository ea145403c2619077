import type { Page } from 'playwright-core';
import type { RouteObject } from 'react-router';
import { beforeAll, describe, expect, test } from 'vitest';
import { otherRoutes, pages } from '../src/pages/pages.ts';
import { expectAccessible } from './accessible.ts';
import { firstAdmin } from './console-service.ts';
import { seedHostileTexts, type HostileSeed } from './hostile-seed.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

type Role = 'admin' | 'client';

/** Returns the pages of a role as patterns: the menu and the pages below it. */
const patternsOf = (role: Role): readonly string[] => {
  const ownRoutes = pages.filter(({ roles }) => roles.includes(role)).flatMap(({ routes }) => routes);
  const pathOf = ({ path = '' }: RouteObject): string => `/${path}`;
  return [...ownRoutes, ...otherRoutes].map(pathOf);
};

/** Replaces each part of a pattern that begins with a colon. */
const addressOf = (pattern: string, { api, group, client }: HostileSeed): string =>
  pattern.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value = { api: api.id, group: group.id, person: client.email }[name];
    if (value === undefined) throw new Error(`There is no value for ${pattern}`);
    return encodeURIComponent(value);
  });

/** Views of pages that show more untrusted text. */
const views: Readonly<Record<string, readonly string[]>> = {
  '/people': ['', '?status=all', '?status=rejected', '?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  '/search': ['', `?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`],
};

describe.skipIf(!browser)('untrusted text', () => {
  if (!browser) return;
  const service = provideService({ IDENTITY_GROUPS_CLAIM: 'groups' });
  let seed: HostileSeed;
  beforeAll(async () => {
    seed = await seedHostileTexts(service);
  });

  const addressesOf = (role: Role): readonly string[] =>
    patternsOf(role).flatMap((pattern) => {
      const address = addressOf(pattern, seed);
      return (views[pattern] ?? ['']).map((view) => `${address}${view}`);
    });

  test.each<Role>(['admin', 'client'])(
    'is only text, and fits the screen, on every page of the role %s',
    async (role) => {
      const { page, listProblems } = await openPage(browser, service);
      await signIn(page, service, role === 'admin' ? firstAdmin : seed.client);
      const visitedAddresses: string[] = [];
      for (const pendingAddresses = [...addressesOf(role)]; pendingAddresses.length > 0;) {
        const address = pendingAddresses.shift() ?? '';
        if (visitedAddresses.includes(address)) continue;
        visitedAddresses.push(address);
        await visitPage(page, address);
        await openCollapsedParts(page);
        expect([address, ...(await findUnsafeElements(page))]).toEqual([address]);
        expect([address, ...listProblems()]).toEqual([address]);
        expect([address, ...(await findOverflows(page))]).toEqual([address]);
        await screenshot(page, `hostile ${role} ${visitedAddresses.length} ${address.slice(0, 60)}`);
        if (visitedAddresses.length < visitedPagesMax) pendingAddresses.push(...(await viewsIn(page)));
      }
      // Otherwise the test would cover little of the documents.
      expect(visitedAddresses.filter((address) => address.includes('operation='))).not.toEqual([]);
    },
  );

  test('is shown exactly as it was written', async () => {
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, '/people?status=all');
    await waitUntilLoaded(page);
    const text = await page.locator('#content').innerText();
    expect(text).toMatch(/<script>alert\('|onerror=alert\('|<svg\/onload=|'-alert\('/);
    await expectAccessible(page);
  });

  test('remains text in the URL of a page and of a sign-in callback', async () => {
    const { page } = await openPage(browser, service);
    for (const path of [
      `/console/${encodeURIComponent('"><img src=x onerror=alert(1)>')}`,
      '/console/sign-in/callback?error=x&error_description=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&state=%3Cscript%3E',
      '/console/#code=%3Cscript%3Ealert(1)%3C/script%3E',
      '/console//evil.example.com/',
    ]) {
      await page.goto(`${service.address}${path}`);
      await page.getByRole('button').first().waitFor();
      expect([path, ...(await findUnsafeElements(page))]).toEqual([path]);
    }
    expect(new URL(page.url()).origin).toBe(service.address);
  });
});

/** Returns the screen widths, in pixels, at which the page scrolls sideways, with the excess. */
const findOverflows = async (page: Page): Promise<readonly string[]> => {
  const previousSize = page.viewportSize();
  const overflows: string[] = [];
  // An open dropdown follows its field with a delay.
  await page.keyboard.press('Escape');
  for (const width of [1_440, 1_024, 768, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (excess > 0) overflows.push(`${width}: ${excess} too wide`);
  }
  if (previousSize) await page.setViewportSize(previousSize);
  return overflows;
};

/** Goes to a page and waits for a new heading; another view of the same page keeps its heading. */
const visitPage = async (page: Page, address: string): Promise<void> => {
  await page
    .locator('#content h1')
    .evaluateAll((headings) => headings.forEach((heading) => heading.setAttribute('data-before', '')));
  await goTo(page, address);
  await page
    .locator('#content h1:not([data-before])')
    .waitFor({ timeout: 2_000 })
    .catch(() => undefined);
  await waitUntilLoaded(page);
};

/** The number of visited pages after which no more pages are added. */
const visitedPagesMax = 60;

/** Returns the page's links to other views of the same page, such as the links from an API to its operations. */
const viewsIn = (page: Page): Promise<readonly string[]> =>
  page.locator('#content a[href*="?"]').evaluateAll((links) =>
    links
      .map((link) => new URL((link as HTMLAnchorElement).href))
      .filter(({ origin, pathname }) => origin === location.origin && pathname === location.pathname)
      .map(({ pathname, search }) => `${pathname.replace(/^\/console/, '')}${search}`),
  );

/** Waits until the page has loaded its data. */
const waitUntilLoaded = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.locator('#content').waitFor();
  await expect.poll(() => page.locator('#content [role=status]', { hasText: 'Loading' }).count()).toBe(0);
};

/** The maximum number of parts of a page that are opened. */
const opensMax = 40;

/** Opens tabs and collapsed parts, none of which changes data. */
const openCollapsedParts = async (page: Page): Promise<void> => {
  const collapsedParts = page
    .locator('#content')
    .locator('[role=tab][aria-selected=false], [aria-expanded=false], summary');
  const count = Math.min(await collapsedParts.count(), opensMax);
  for (let index = 0; index < count; index += 1) {
    // An opened part no longer matches, so the next one takes its index.
    await collapsedParts
      .nth(Math.min(index, (await collapsedParts.count()) - 1))
      .click({ timeout: 2_000, trial: false })
      .catch(() => undefined);
  }
  await waitUntilLoaded(page);
};

/** Returns elements and URLs that text must never become, one line each. */
const findUnsafeElements = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const describeAs = (kind: string) => (element: Element) => `${kind}: ${element.outerHTML.slice(0, 200)}`;
    const selectAll = (selector: string) => [...document.querySelectorAll(selector)];
    const isSameOrigin = (address: string) => new URL(address, location.href).origin === location.origin;
    const links = selectAll('a[href], area[href], form[action], button[formaction]');
    const addressOf = (element: Element) =>
      element.getAttribute('href') ?? element.getAttribute('action') ?? element.getAttribute('formaction') ?? '';
    return [
      ...selectAll(
        '#root script, #root iframe, #root object, #root embed, #root style, #root link, #root meta, base',
      ).map(describeAs('element')),
      ...selectAll('*')
        .filter((element) => element.getAttributeNames().some((name) => name.startsWith('on')))
        .map(describeAs('handler')),
      ...selectAll('img[src], image[href], video[src], audio[src], source[src]')
        .filter((element) => !isSameOrigin(element.getAttribute('src') ?? element.getAttribute('href') ?? ''))
        .map(describeAs('image')),
      ...links
        .filter((element) => !/^(https?:|mailto:|[^:]*$|[/?#])/i.test(addressOf(element)))
        .map(describeAs('address')),
      ...links
        .filter((element) => /^https?:/i.test(addressOf(element)) && !isSameOrigin(addressOf(element)))
        .filter((element) => !/noopener/.test(element.getAttribute('rel') ?? ''))
        .map(describeAs('link without noopener')),
    ];
  });
