import { missingEmbeddings } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import {
  forgettable,
  isNext,
  needsAnnouncing,
  type ModelChange,
  type SearchModelsState,
} from '../../search/search-model.ts';
import { embedJob } from './embed-collection.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'embeddings' | 'embeddingJobs' | 'models' | 'embedder' | 'vectors'>;

/** What a look at the models and their vectors found and did. */
export interface ModelLook {
  /** Collections that wait to be embedded with the current model, or cannot be. */
  readonly outdated: number;
  /** What searches changed from and to, at this look; `from` is null if nothing was searched before. */
  readonly changed: { readonly from: string | null; readonly to: string } | null;
  /** The change that is not finished; null if there is none. */
  readonly underWay: ModelChange | null;
  /** Whether another model is recorded too, so that another version of the service may run beside this one. */
  readonly isShared: boolean;
  /** Models that lost their vectors at this look. */
  readonly forgotten: readonly string[];
}

/** How many jobs one transaction adds, few enough to delay other changes by less than a second. */
const portionSize = 2_000;

/** How many embeddings one transaction removes. */
const removedAtOnce = 500;

/**
 * Ensures that every collection gets an embedding by the current model, lets searches use that model once nothing would
 * be lost by it, and removes the vectors of models that nobody has used for a day. Meant to be called repeatedly: once
 * nothing is outdated, it reads little until a collection, an embedding or the model changes. One look after a change of
 * model is not enough, because a job under way, or a process of an earlier version, may still store what an earlier
 * model made. If it fails midway, what was done stays, and the next call continues. A collection whose job is a dead
 * letter gets one new job: at the first call, and again when the model changes.
 */
export const followModel = (ports: Needs) => {
  const embedOutdated = outdatedEmbedding(ports);
  return async (): Promise<ModelLook> => {
    const modelId = await ports.embedder.modelId();
    const state = await announced(ports, modelId);
    const outdated = await embedOutdated(modelId, state);
    const { changed, underWay } = await bringIntoUse(ports, modelId, state);
    const forgotten = await forgetOld(ports, modelId, changed ? { ...state, serving: modelId } : state);
    const isShared = state.announced.length - forgotten.length > 1;
    return { outdated, changed, underWay, isShared, forgotten };
  };
};

const announced = async ({ clock, models }: Needs, modelId: string): Promise<SearchModelsState> => {
  const state = await models.state();
  const now = clock.now();
  if (!needsAnnouncing(modelId, state, now)) return state;
  await models.announce(modelId, now);
  return models.state();
};

/** Returns how many collections are outdated; ensures that each has a job. */
const outdatedEmbedding = ({ embeddings, embeddingJobs, ...ports }: Needs) => {
  let settled: string | null = null;
  let triedAgainFor: string | null = null;
  return async (modelId: string, { epochs }: SearchModelsState): Promise<number> => {
    const state = `${epochs.catalog}/${epochs.embeddings}/${modelId}`;
    if (settled === state) return 0;
    const outdated = await embeddings.outdated(modelId);
    settled = outdated.length === 0 ? state : null;
    if (outdated.length === 0) return 0;
    const awaited = await embeddingJobs.awaited();
    const deadLettered = modelId === triedAgainFor ? await embeddingJobs.deadLettered() : new Set();
    const missing = outdated.filter((collection) => !awaited.has(collection) && !deadLettered.has(collection));
    for (let start = 0; start < missing.length; start += portionSize) {
      const portion = missing.slice(start, start + portionSize);
      const jobs = portion.map((collection) => embedJob(ports, collection, missingEmbeddings));
      await embeddingJobs.enqueue({ jobs, deadline: null });
    }
    triedAgainFor = modelId;
    return outdated.length;
  };
};

const bringIntoUse = async (
  { clock, models }: Needs,
  to: string,
  state: SearchModelsState,
): Promise<Pick<ModelLook, 'changed' | 'underWay'>> => {
  const { serving: from } = state;
  if (!isNext(to, state, clock.now())) return { changed: null, underWay: null };
  const progress = from === null ? null : await models.progress(from, to);
  const isComplete = progress === null || progress.done + progress.failed === progress.total;
  if (isComplete && (await models.promote(from, to))) return { changed: { from, to }, underWay: null };
  return { changed: null, underWay: from !== null && progress ? { from, to, ...progress } : null };
};

/** The index first: if it cannot forget the model now, the record stays, and the next look tries again. */
const forgetOld = async (
  { clock, models, vectors }: Needs,
  modelId: string,
  state: SearchModelsState,
): Promise<readonly string[]> => {
  const old = forgettable(modelId, state, clock.now());
  for (const model of old) {
    while ((await models.removeEmbeddings(model.modelId, removedAtOnce)) > 0);
    await vectors.forget(model.modelId);
    await models.forget(model);
  }
  return old.map((model) => model.modelId);
};
