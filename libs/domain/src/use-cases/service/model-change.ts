import type { Ports } from '../../ports/index.ts';
import { shouldSwitchTo, type ModelChange } from '../../search/search-model.ts';
import { shareResult } from './share-result.ts';

/** Counting takes a few milliseconds, and the metrics can be read without a credential. */
const ttlMs = 5_000;

/**
 * Creates a function that returns the change of the model that searches use, from this process's point of view: to its
 * own current model; null if no change is in progress, or while that model's id is not known.
 */
export const readModelChange = (ports: Pick<Ports, 'clock' | 'models' | 'embedder'>) =>
  shareResult(ports.clock, ttlMs, () => findModelChange(ports));

const findModelChange = async ({
  clock,
  models,
  embedder,
}: Pick<Ports, 'clock' | 'models' | 'embedder'>): Promise<ModelChange | null> => {
  const to = await embedder.getModelId().catch(() => null);
  const state = await models.readState();
  if (to === null || state.serving === null || !shouldSwitchTo(to, state, clock.now())) return null;
  return { from: state.serving, to, ...(await models.readProgress(state.serving, to)) };
};
