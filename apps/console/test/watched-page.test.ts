import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessible.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage } from './watched-page.ts';

const browser = await provideBrowser();

describe.skipIf(!browser)('a watched page', () => {
  if (!browser) return;
  const service = provideService();

  const inPage = async (script: () => unknown) => {
    const watched = await openPage(browser, service);
    await watched.page.goto(`${service.address}/console/`);
    await watched.page.getByRole('button').first().waitFor();
    expect(watched.trouble()).toEqual([]);
    await watched.page.evaluate(script);
    return watched;
  };

  test.each([
    ['a dialog', () => alert('here'), /^dialog: alert here$/],
    [
      'an error of a script',
      () => void setTimeout(() => void (null as unknown as Date).getTime()),
      /^thrown: TypeError/,
    ],
    ['an unhandled rejection', () => void Promise.reject(new Error('unhandled')), /^thrown: Error: unhandled/],
    ["an error in the browser's console", () => console.error('complaint'), /^console: complaint/],
    [
      'a script in the document',
      () => document.body.append(Object.assign(document.createElement('script'), { text: 'alert(1)' })),
      /^policy: script-src-elem blocks inline/,
    ],
    [
      'an attribute with a script',
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
      'a page of another origin',
      () => void window.open('http://evil.example.com/'),
      /^elsewhere: GET http:\/\/evil\.example\.com\/$/,
    ],
  ])('reports %s', async (_name, script, pattern) => {
    const { trouble, expectTrouble } = await inPage(script);
    await expect.poll(trouble).toContainEqual(expect.stringMatching(pattern));
    expectTrouble(/^/);
  });

  test('an element without a name is not accessible', async () => {
    const { page } = await inPage(() => document.querySelector('main, body')?.append(document.createElement('button')));
    expect(await brokenRules(page)).toContainEqual(expect.stringMatching(/^button-name: /));
  });

  test('a color transition is checked at its end', async () => {
    const { page } = await inPage(() => {
      const text = document.querySelector('h1') as HTMLElement;
      text.style.setProperty('transition', 'color 3600s', 'important');
      // A change starts a transition only if the style was computed before it.
      getComputedStyle(text).getPropertyValue('color');
      text.style.color = '#eee';
    });
    expect(await brokenRules(page)).toContainEqual(expect.stringMatching(/^color-contrast: /));
  });

  // The failure occurs after the end of the test.
  test.fails('unexpected trouble fails the test', async () => {
    const { trouble } = await inPage(() => console.error('complaint'));
    await expect.poll(trouble).toHaveLength(1);
  });
});
