import type { Page } from 'playwright-core';
import type { RouteObject } from 'react-router';
import { beforeAll, describe, expect, test } from 'vitest';
import { furtherRoutes, pages } from '../src/pages/pages.ts';
import { expectAccessible } from './accessible.ts';
import { firstAdmin } from './console-service.ts';
import { seedHostileTexts, type HostileSeed } from './hostile-seed.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

type Role = 'admin' | 'client';

/** The pages of a role, as patterns: all of the menu, with those below it. */
const patternsOf = (role: Role): readonly string[] => {
  const own = pages.filter(({ roles }) => roles.includes(role)).flatMap(({ routes }) => routes);
  const pathOf = ({ path = '' }: RouteObject): string => `/${path}`;
  return [...own, ...furtherRoutes].map(pathOf);
};

/** What stands in an address for each part of a pattern that begins with a colon. */
const addressOf = (pattern: string, { api, group, client }: HostileSeed): string =>
  pattern.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const value = { api: api.id, group: group.id, person: client.email }[name];
    if (value === undefined) throw new Error(`The walk does not know what ${pattern} is about`);
    return encodeURIComponent(value);
  });

/** Views of pages that show more of what strangers wrote. */
const views: Readonly<Record<string, readonly string[]>> = {
  '/people': ['', '?status=all', '?status=rejected', '?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  '/search': ['', `?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`],
};

describe.skipIf(!browser)('what strangers write', () => {
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
    'is only text, and fits the screen, in every page of the role %s',
    async (role) => {
      const { page, trouble } = await openPage(browser, service);
      await signIn(page, service, role === 'admin' ? firstAdmin : seed.client);
      const walked: string[] = [];
      for (const waiting = [...addressesOf(role)]; waiting.length > 0;) {
        const address = waiting.shift() ?? '';
        if (walked.includes(address)) continue;
        walked.push(address);
        await walkTo(page, address);
        await openEverything(page);
        expect([address, ...(await harmIn(page))]).toEqual([address]);
        expect([address, ...trouble()]).toEqual([address]);
        expect([address, ...(await widthsTooNarrow(page))]).toEqual([address]);
        await screenshot(page, `hostile ${role} ${walked.length} ${address.slice(0, 60)}`);
        if (walked.length < walkMax) waiting.push(...(await viewsIn(page)));
      }
      // Else the walk would say little of what a document holds.
      expect(walked.filter((address) => address.includes('operation='))).not.toEqual([]);
    },
  );

  test('is shown as it was written', async () => {
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, '/people?status=all');
    await settled(page);
    const text = await page.locator('#content').innerText();
    expect(text).toMatch(/<script>alert\('|onerror=alert\('|<svg\/onload=|'-alert\('/);
    await expectAccessible(page);
  });

  test('stays text in the address of a page, and where a sign-in comes back', async () => {
    const { page } = await openPage(browser, service);
    for (const path of [
      `/console/${encodeURIComponent('"><img src=x onerror=alert(1)>')}`,
      '/console/sign-in/callback?error=x&error_description=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&state=%3Cscript%3E',
      '/console/#code=%3Cscript%3Ealert(1)%3C/script%3E',
      '/console//evil.example.com/',
    ]) {
      await page.goto(`${service.address}${path}`);
      await page.getByRole('button').first().waitFor();
      expect([path, ...(await harmIn(page))]).toEqual([path]);
    }
    expect(new URL(page.url()).origin).toBe(service.address);
  });
});

/** The widths of screens, in pixels, on which a page has to be scrolled sideways, with how much is beyond the edge. */
const widthsTooNarrow = async (page: Page): Promise<readonly string[]> => {
  const before = page.viewportSize();
  const found: string[] = [];
  // An open list of choices follows its field a moment later.
  await page.keyboard.press('Escape');
  for (const width of [1_440, 1_024, 768, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) found.push(`${width}: ${beyond} too wide`);
  }
  if (before) await page.setViewportSize(before);
  return found;
};

/** Goes there, and waits until another heading stands there; the same page in another view keeps its own. */
const walkTo = async (page: Page, address: string): Promise<void> => {
  await page
    .locator('#content h1')
    .evaluateAll((headings) => headings.forEach((heading) => heading.setAttribute('data-before', '')));
  await goTo(page, address);
  await page
    .locator('#content h1:not([data-before])')
    .waitFor({ timeout: 2_000 })
    .catch(() => undefined);
  await settled(page);
};

/** How many addresses a walk goes to before it takes up no further ones. */
const walkMax = 60;

/** The links of the page to itself in another view, such as an API's to its operations. */
const viewsIn = (page: Page): Promise<readonly string[]> =>
  page.locator('#content a[href*="?"]').evaluateAll((links) =>
    links
      .map((link) => new URL((link as HTMLAnchorElement).href))
      .filter(({ origin, pathname }) => origin === location.origin && pathname === location.pathname)
      .map(({ pathname, search }) => `${pathname.replace(/^\/console/, '')}${search}`),
  );

/** Until what the page asked for has come. */
const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.locator('#content').waitFor();
  await expect.poll(() => page.locator('#content [role=status]', { hasText: 'Loading' }).count()).toBe(0);
};

/** How many parts of a page are opened at most. */
const opensMax = 40;

/** Opens tabs and what is folded, none of which changes anything. */
const openEverything = async (page: Page): Promise<void> => {
  const folded = page.locator('#content').locator('[role=tab][aria-selected=false], [aria-expanded=false], summary');
  const count = Math.min(await folded.count(), opensMax);
  for (let turn = 0; turn < count; turn += 1) {
    // What was opened is not among them any more, so that the next moves up.
    await folded
      .nth(Math.min(turn, (await folded.count()) - 1))
      .click({ timeout: 2_000, trial: false })
      .catch(() => undefined);
  }
  await settled(page);
};

/** Elements and addresses that no text may ever become; one line each. */
const harmIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const told = (what: string) => (element: Element) => `${what}: ${element.outerHTML.slice(0, 200)}`;
    const all = (selector: string) => [...document.querySelectorAll(selector)];
    const isOwn = (address: string) => new URL(address, location.href).origin === location.origin;
    const links = all('a[href], area[href], form[action], button[formaction]');
    const addressOf = (element: Element) =>
      element.getAttribute('href') ?? element.getAttribute('action') ?? element.getAttribute('formaction') ?? '';
    return [
      ...all('#root script, #root iframe, #root object, #root embed, #root style, #root link, #root meta, base').map(
        told('element'),
      ),
      ...all('*')
        .filter((element) => element.getAttributeNames().some((name) => name.startsWith('on')))
        .map(told('handler')),
      ...all('img[src], image[href], video[src], audio[src], source[src]')
        .filter((element) => !isOwn(element.getAttribute('src') ?? element.getAttribute('href') ?? ''))
        .map(told('image')),
      ...links.filter((element) => !/^(https?:|mailto:|[^:]*$|[/?#])/i.test(addressOf(element))).map(told('address')),
      ...links
        .filter((element) => /^https?:/i.test(addressOf(element)) && !isOwn(addressOf(element)))
        .filter((element) => !/noopener/.test(element.getAttribute('rel') ?? ''))
        .map(told('link without noopener')),
    ];
  });
