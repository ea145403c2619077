import { describe, expect, test } from 'vitest';
import { findBrokenRules } from './accessible.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage } from './watched-page.ts';

const browser = await provideBrowser();

describe.skipIf(!browser)('a watched page', () => {
  if (!browser) return;
  const service = provideService();

  const runInPage = async (script: () => unknown) => {
    const watchedPage = await openPage(browser, service);
    await watchedPage.page.goto(`${service.address}/console/`);
    await watchedPage.page.getByRole('button').first().waitFor();
    expect(watchedPage.listProblems()).toEqual([]);
    await watchedPage.page.evaluate(script);
    return watchedPage;
  };

  test.each([
    ['a dialog', () => alert('here'), /^dialog: alert here$/],
    ['a script error', () => void setTimeout(() => void (null as unknown as Date).getTime()), /^thrown: TypeError/],
    ['an unhandled rejection', () => void Promise.reject(new Error('unhandled')), /^thrown: Error: unhandled/],
    ["an error in the browser's console", () => console.error('complaint'), /^console: complaint/],
    [
      'a script in the document',
      () => document.body.append(Object.assign(document.createElement('script'), { text: 'alert(1)' })),
      /^policy: script-src-elem blocks inline/,
    ],
    [
      'an inline event handler',
      () => document.body.insertAdjacentHTML('beforeend', '<img src="/nothing" onerror="alert(1)">'),
      /^policy: script-src-attr blocks inline/,
    ],
    [
      'a style in the document',
      () => document.head.insertAdjacentHTML('beforeend', '<style>body { color: red }</style>'),
      /^policy: style-src-elem blocks inline/,
    ],
    [
      'a request to a foreign host',
      () => void fetch('https://evil.example.com/').catch(() => undefined),
      /^policy: connect-src blocks https:\/\/evil\.example\.com/,
    ],
    [
      'a page from a different origin',
      () => void window.open('http://evil.example.com/'),
      /^foreign origin: GET http:\/\/evil\.example\.com\/$/,
    ],
  ])('reports %s', async (_name, script, pattern) => {
    const { listProblems, allowProblem } = await runInPage(script);
    await expect.poll(listProblems).toContainEqual(expect.stringMatching(pattern));
    allowProblem(/^/);
  });

  test('an element without a name is not accessible', async () => {
    const { page } = await runInPage(() =>
      document.querySelector('main, body')?.append(document.createElement('button')),
    );
    expect(await findBrokenRules(page)).toContainEqual(expect.stringMatching(/^button-name: /));
  });

  test('colors are checked in the final state of a transition', async () => {
    const { page } = await runInPage(() => {
      const text = document.querySelector('h1') as HTMLElement;
      text.style.setProperty('transition', 'color 3600s', 'important');
      // A change starts a transition only if the style was computed before it.
      getComputedStyle(text).getPropertyValue('color');
      text.style.color = '#eee';
    });
    expect(await findBrokenRules(page)).toContainEqual(expect.stringMatching(/^color-contrast: /));
  });

  // The failure occurs after the end of the test.
  test.fails('an unexpected problem fails the test', async () => {
    const { listProblems } = await runInPage(() => console.error('complaint'));
    await expect.poll(listProblems).toHaveLength(1);
  });
});
