import { expect, test } from 'vitest';
import { readSamples } from './samples.ts';
import { searches } from './story.ts';

test.each([
  { search: searches[0], articles: ['a'] },
  { search: searches[1], articles: [] },
])('the search of the demo, $search, shares no word with what it finds but articles', ({ search, articles }) => {
  const [query, sought] = search;
  const { name, description } = readSamples().find((sample) => sample.name === sought) ?? {
    name: '',
    description: '',
  };
  const said: readonly string[] = `${name} ${description}`.toLowerCase().match(/[a-z]+/g) ?? [];
  expect(said.length).toBeGreaterThan(3);
  const shared = query
    .toLowerCase()
    .split(' ')
    .filter((word) => said.includes(word));
  expect(shared).toEqual(articles);
});
