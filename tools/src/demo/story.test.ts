import { expect, test } from 'vitest';
import { readSamples } from './samples.ts';
import { searches } from './story.ts';

test.each([
  { search: searches[0], articles: ['a'] },
  { search: searches[1], articles: [] },
])('the search of the demo, $search, shares no word but articles with its result', ({ search, articles }) => {
  const [query, expectedName] = search;
  const { name, description } = readSamples().find((sample) => sample.name === expectedName) ?? {
    name: '',
    description: '',
  };
  const sampleWords: readonly string[] = `${name} ${description}`.toLowerCase().match(/[a-z]+/g) ?? [];
  expect(sampleWords.length).toBeGreaterThan(3);
  const sharedWords = query
    .toLowerCase()
    .split(' ')
    .filter((word) => sampleWords.includes(word));
  expect(sharedWords).toEqual(articles);
});
