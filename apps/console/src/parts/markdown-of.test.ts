import { expect, it } from 'vitest';
import { lineOf, markdownOf } from './markdown-of.ts';

it('converts paragraphs, links and lists from HTML to Markdown', () => {
  expect(markdownOf('<p>See <a href="https://x.example/a">this</a></p><ul><li>one</li><li>two</li></ul>')).toBe(
    'See [this](https://x.example/a)\n\n- one \n- two',
  );
});

it('keeps only the text of a link that does not lead to the web', () => {
  expect(markdownOf('<a href="/docs">Docs</a> <a href="javascript:x()">run</a>')).toBe('Docs run');
});

it('keeps text in angle brackets that is not a tag', () => {
  expect(markdownOf('Send <account_id> and <b>wait</b>')).toBe('Send <account_id> and **wait**');
});

it('returns only the text for a list', () => {
  expect(lineOf('# Title\n\nRead [the **guide**](https://x.example) `now`')).toBe('Title Read the guide now');
});

it('converts a heading, a comment, and tags with attributes or in capitals', () => {
  expect(markdownOf('<H2 id="x">Use</H2>a<!-- b -->c<BR/>d <strong class="e">f</strong><!-- open')).toBe(
    '**Use**\n\nac  \nd **f**<!-- open',
  );
});

it.each(['<a ', '<a href="', '<a href="x"', '<!--', '<h1', '<h1>', '<p ', '<p', '<a href="http://x">', '[', '`<'])(
  'a long text of %j takes linear time',
  (part) => {
    const startedAt = performance.now();
    const hostile = part.repeat(262_144 / part.length);
    markdownOf(hostile);
    lineOf(hostile);
    // Quadratic time would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  },
);
