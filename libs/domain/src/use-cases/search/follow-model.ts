import type { Ports } from '../../ports/index.ts';
import {
  forgettable,
  forgettableOfOperations,
  isNext,
  isShared,
  needsAnnouncing,
  operationModelName,
  type ModelChange,
  type SearchModel,
  type SearchModelsState,
} from '../../search/search-model.ts';
import { queueOutdated } from './collection-jobs.ts';
import { unlessAway } from './serving-embedder.ts';

type Needs = Pick<
  Ports,
  | 'clock'
  | 'random'
  | 'embeddings'
  | 'embeddingJobs'
  | 'models'
  | 'embedder'
  | 'vectors'
  | 'operationBlocks'
  | 'operationEmbedder'
>;

/** What a look at the models and their vectors found and did. */
export interface ModelLook {
  /** Collections that wait to be embedded with the current model, or cannot be. */
  readonly outdated: number;
  /** Collections whose operations wait to be read or embedded, or cannot be; null while their model is not known. */
  readonly operationsOutdated: number | null;
  /** What searches changed from and to, at this look; `from` is null if nothing was searched before. */
  readonly changed: { readonly from: string | null; readonly to: string } | null;
  /** The change that is not finished; null if there is none. */
  readonly underWay: ModelChange | null;
  /** Whether another model is recorded too, so that another version of the service may run beside this one. */
  readonly isShared: boolean;
  /** Models that lost their vectors at this look. */
  readonly forgotten: readonly string[];
}

/** How many embeddings one transaction removes. */
const removedAtOnce = 500;

/** How many blocks of operations one transaction removes: some have a megabyte. */
const blocksRemovedAtOnce = 50;

/**
 * Ensures that every collection gets an embedding by the current model and its operations get theirs, lets searches use
 * that model once nothing would be lost by it, and removes the vectors of models that nobody has used for a day. Meant
 * to be called repeatedly: once nothing is outdated, it reads little until a collection, an embedding or the model
 * changes. One look after a change of model is not enough, because a job under way, or a process of an earlier version,
 * may still store what an earlier model made. If it fails midway, what was done stays, and the next call continues. A
 * collection whose job is a dead letter gets one new job: at the first call, and again when the model changes.
 */
export const followModel = (ports: Needs) => {
  const queueEmbeddings = queueOutdated(ports, 'embed', (model) => ports.embeddings.outdated(model));
  const queueOperations = queueOutdated(ports, 'operations', (model) => ports.operationBlocks.outdated(model));
  return async (): Promise<ModelLook> => {
    const { catalog, embeddings, operations } = (await ports.models.state()).epochs;
    // First, because the embedder of collections may be away without that of operations. The next look asks again.
    const operationModel = await ports.operationEmbedder.modelId().catch(unlessAway);
    const operationsOutdated =
      operationModel === null ? null : await queueOperations(operationModel, `${catalog}/${operations}`);
    const modelId = await ports.embedder.modelId();
    const names = operationModel === null ? [modelId] : [modelId, operationModelName(operationModel)];
    const state = await announced(ports, names);
    const outdated = await queueEmbeddings(modelId, `${catalog}/${embeddings}`);
    const { changed, underWay } = await bringIntoUse(ports, modelId, state);
    const old = await forgetOld(ports, modelId, changed ? { ...state, serving: modelId } : state);
    const oldOfOperations = operationModel === null ? [] : await forgetBlocks(ports, operationModel, state);
    const left = { ...state, announced: state.announced.filter((model) => !old.includes(model)) };
    const forgotten = [...old, ...oldOfOperations].map((model) => model.modelId);
    return { outdated, operationsOutdated, changed, underWay, isShared: isShared(left), forgotten };
  };
};

const announced = async ({ clock, models }: Needs, names: readonly string[]): Promise<SearchModelsState> => {
  const state = await models.state();
  const now = clock.now();
  const due = names.filter((name) => needsAnnouncing(name, state, now));
  for (const name of due) await models.announce(name, now);
  return due.length === 0 ? state : models.state();
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
): Promise<readonly SearchModel[]> => {
  const old = forgettable(modelId, state, clock.now());
  for (const model of old) {
    while ((await models.removeEmbeddings(model.modelId, removedAtOnce)) > 0);
    await vectors.forget(model.modelId);
    await models.forget(model);
  }
  return old;
};

/** Not before all operations have vectors of this model, or cannot have any. */
const forgetBlocks = async (
  { clock, models, operationBlocks }: Needs,
  modelId: string,
  state: SearchModelsState,
): Promise<readonly SearchModel[]> => {
  const old = forgettableOfOperations(modelId, state, clock.now());
  if (old.length === 0) return [];
  const { total, done, failed } = await operationBlocks.progress(modelId);
  if (done + failed < total) return [];
  while ((await operationBlocks.removeOthers(modelId, blocksRemovedAtOnce)) > 0);
  for (const model of old) await models.forget(model);
  return old;
};
