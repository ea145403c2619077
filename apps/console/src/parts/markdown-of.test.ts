import { expect, it } from 'vitest';
import { lineOf, markdownOf } from './markdown-of.ts';

it('paragraphs, links and lists of HTML become Markdown', () => {
  expect(markdownOf('<p>See <a href="https://x.example/a">this</a></p><ul><li>one</li><li>two</li></ul>')).toBe(
    'See [this](https://x.example/a)\n\n- one \n- two',
  );
});

it('a link that leads elsewhere than to the web stays as text', () => {
  expect(markdownOf('<a href="/docs">Docs</a> <a href="javascript:x()">run</a>')).toBe('Docs run');
});

it('what is in angle brackets and no tag stays', () => {
  expect(markdownOf('Send <account_id> and <b>wait</b>')).toBe('Send <account_id> and **wait**');
});

it('a list shows the text alone', () => {
  expect(lineOf('# Title\n\nRead [the **guide**](https://x.example) `now`')).toBe('Title Read the guide now');
});

it('a heading, a comment, and tags with attributes or in capitals', () => {
  expect(markdownOf('<H2 id="x">Use</H2>a<!-- b -->c<BR/>d <strong class="e">f</strong><!-- open')).toBe(
    '**Use**\n\nac  \nd **f**<!-- open',
  );
});

it.each(['<a ', '<a href="', '<a href="x"', '<!--', '<h1', '<h1>', '<p ', '<p', '<a href="http://x">', '[', '`<'])(
  'a long text of %j takes no longer than its length tells',
  (part) => {
    const startedAt = performance.now();
    const hostile = part.repeat(262_144 / part.length);
    markdownOf(hostile);
    lineOf(hostile);
    // Where time grows with the square of the length, it is minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  },
);
