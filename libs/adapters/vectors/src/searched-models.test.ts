import { expect, test } from 'vitest';
import { SearchedModels } from './searched-models.ts';

const idleMs = 20;
const open = () => new SearchedModels({ open: (modelId) => ({ modelId }), idleMs });
const periods = (count: number) => new Promise((resolve) => setTimeout(resolve, count * idleMs));
const searchedModel = (models: ReturnType<typeof open>, modelId: string) =>
  models.during(modelId, async (model) => model);

test('the model searched before is dropped after a while, though no further search comes', async () => {
  const models = open();
  await searchedModel(models, 'old');
  const model = await searchedModel(models, 'new');
  expect(models.all).toHaveLength(2);
  await expect.poll(() => models.all).toEqual([model]);
});

test('it stays while requests admitted earlier still search it', async () => {
  const models = open();
  const [before, asked] = [await searchedModel(models, 'old'), Promise.withResolvers<void>()];
  const search = models.during('old', () => asked.promise);
  await searchedModel(models, 'new');
  await periods(5);
  expect(await searchedModel(models, 'old')).toBe(before);
  await searchedModel(models, 'new');
  asked.resolve();
  await search;
  await expect.poll(() => models.all).toHaveLength(1);
});

test('the only model stays, however long nothing searches', async () => {
  const models = open();
  const model = await searchedModel(models, 'only');
  await periods(5);
  expect(await searchedModel(models, 'only')).toBe(model);
});
