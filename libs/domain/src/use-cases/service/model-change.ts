import type { Ports } from '../../ports/index.ts';
import { isNext, type ModelChange } from '../../search/search-model.ts';
import { sharedAnswer } from './shared-answer.ts';

/** Counting takes some milliseconds, and the metrics can be read without a credential. */
const keptMs = 5_000;

/**
 * The change of the model that searches use, as this process sees it: to its own current model; null if there is none,
 * or while that model's id is not known.
 */
export const readModelChange = (ports: Pick<Ports, 'clock' | 'models' | 'embedder'>) =>
  sharedAnswer(ports.clock, keptMs, () => modelChange(ports));

const modelChange = async ({
  clock,
  models,
  embedder,
}: Pick<Ports, 'clock' | 'models' | 'embedder'>): Promise<ModelChange | null> => {
  const to = await embedder.modelId().catch(() => null);
  const state = await models.state();
  if (to === null || state.serving === null || !isNext(to, state, clock.now())) return null;
  return { from: state.serving, to, ...(await models.progress(state.serving, to)) };
};
