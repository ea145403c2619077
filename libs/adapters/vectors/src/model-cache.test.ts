import { expect, test } from 'vitest';
import { ModelCache } from './model-cache.ts';

const idleMs = 20;
const open = () => new ModelCache({ open: (modelId) => ({ modelId }), idleMs });
const waitPeriods = (count: number) => new Promise((resolve) => setTimeout(resolve, count * idleMs));
const searchModel = (models: ReturnType<typeof open>, modelId: string) => models.use(modelId, async (model) => model);

test('the previous model is dropped after a while, even without a further search', async () => {
  const models = open();
  await searchModel(models, 'old');
  const model = await searchModel(models, 'new');
  expect(models.all).toHaveLength(2);
  await expect.poll(() => models.all).toEqual([model]);
});

test('the previous model is kept while requests that were admitted earlier still search it', async () => {
  const models = open();
  const [oldModel, gate] = [await searchModel(models, 'old'), Promise.withResolvers<void>()];
  const runningSearch = models.use('old', () => gate.promise);
  await searchModel(models, 'new');
  await waitPeriods(5);
  expect(await searchModel(models, 'old')).toBe(oldModel);
  await searchModel(models, 'new');
  gate.resolve();
  await runningSearch;
  await expect.poll(() => models.all).toHaveLength(1);
});

test('the only model is kept, even if it is not searched for a long time', async () => {
  const models = open();
  const model = await searchModel(models, 'only');
  await waitPeriods(5);
  expect(await searchModel(models, 'only')).toBe(model);
});
