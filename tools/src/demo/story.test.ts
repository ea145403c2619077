import { expect, test } from 'vitest';
import { readSamples } from './samples.ts';
import { searches } from './story.ts';

test.each([
  [...searches[0], ['a']],
  [...searches[1], [] as string[]],
])('the search of the demo, %j, shares no word with what it finds but articles', ([query, sought], articles) => {
  const { name, description } = readSamples().find((sample) => sample.name === sought) ?? {
    name: '',
    description: '',
  };
  const said = `${name} ${description}`.toLowerCase().match(/[a-z]+/g) ?? [];
  expect(said.length).toBeGreaterThan(3);
  const shared = query
    .toLowerCase()
    .split(' ')
    .filter((word) => said.includes(word));
  expect(shared).toEqual(articles);
});
