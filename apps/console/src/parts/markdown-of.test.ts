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
