import type { Ports } from '../../ports/index.ts';
import {
  findRemovableModels,
  findRemovableOperationModels,
  shouldSwitchTo,
  hasSeveralModels,
  needsAnnouncing,
  operationModelNameOf,
  type ModelChange,
  type SearchModel,
  type SearchModelsState,
} from '../../search/search-model.ts';
import { queueOutdated } from './collection-jobs.ts';
import { returnNullIfUnavailable } from './find-serving-embedder.ts';

type RequiredPorts = Pick<
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

/** The result of a check of the models and their vectors. */
export interface ModelCheck {
  /** The number of collections that are waiting to be embedded by the current model, or cannot be embedded. */
  readonly outdatedCount: number;
  /**
   * The number of collections with operations that are waiting to be read or embedded, or cannot be; null while the
   * operations' model is not known.
   */
  readonly outdatedOperationsCount: number | null;
  /**
   * The models that searches switched from and to during this check; `from` is null if searches used no model before.
   */
  readonly completedChange: { readonly from: string | null; readonly to: string } | null;
  /** The change in progress; null if there is none. */
  readonly ongoingChange: ModelChange | null;
  /**
   * Whether other models are also recorded, so that a different version of the service may be running alongside this
   * one.
   */
  readonly hasSeveralModels: boolean;
  /** Models that lost their vectors during this check. */
  readonly removedModels: readonly string[];
}

/** The number of embeddings that one transaction removes. */
const removalBatchSize = 500;

/** The number of operation blocks that one transaction removes: some are a megabyte in size. */
const blockBatchSize = 50;

/**
 * Ensures that every collection and its operations get embeddings from the current model, lets searches use that model
 * once nothing would be lost by that, and removes the vectors of models that have not been used for a day. Must be
 * called repeatedly: once nothing is outdated, it reads little until a collection, an embedding or the model changes.
 * One check after a change of model is not enough, because a running job, or a process running an earlier version, may
 * still store vectors from an earlier model. If a check fails midway, its changes up to that point are kept, and the
 * next call continues. A collection whose job is a dead letter gets one new job: on the first call, and again when the
 * model changes.
 */
export const checkModels = (ports: RequiredPorts) => {
  const queueEmbeddings = queueOutdated(ports, 'embed', (model) => ports.embeddings.listOutdated(model));
  const queueOperations = queueOutdated(ports, 'operations', (model) => ports.operationBlocks.listOutdated(model));
  return async (): Promise<ModelCheck> => {
    const { catalog, embeddings, operations } = (await ports.models.readState()).epochs;
    // This comes first, because the collection embedder may be unavailable while the operation embedder is not. The
    // next check tries again.
    const operationModel = await ports.operationEmbedder.getModelId().catch(returnNullIfUnavailable);
    const outdatedOperationsCount =
      operationModel === null ? null : await queueOperations(operationModel, `${catalog}/${operations}`);
    const modelId = await ports.embedder.getModelId();
    const names = operationModel === null ? [modelId] : [modelId, operationModelNameOf(operationModel)];
    const state = await announceModels(ports, names);
    const outdatedCount = await queueEmbeddings(modelId, `${catalog}/${embeddings}`);
    const { completedChange, ongoingChange } = await promoteIfComplete(ports, modelId, state);
    const oldModels = await removeOldModels(ports, modelId, completedChange ? { ...state, serving: modelId } : state);
    const oldOperationModels = operationModel === null ? [] : await removeOldBlocks(ports, operationModel, state);
    const remaining = {
      ...state,
      announcedModels: state.announcedModels.filter((model) => !oldModels.includes(model)),
    };
    const removedModels = [...oldModels, ...oldOperationModels].map((model) => model.modelId);
    return {
      outdatedCount,
      outdatedOperationsCount,
      completedChange,
      ongoingChange,
      hasSeveralModels: hasSeveralModels(remaining),
      removedModels,
    };
  };
};

const announceModels = async (
  { clock, models }: RequiredPorts,
  names: readonly string[],
): Promise<SearchModelsState> => {
  const state = await models.readState();
  const now = clock.now();
  const dueNames = names.filter((name) => needsAnnouncing(name, state, now));
  for (const name of dueNames) await models.announce(name, now);
  return dueNames.length === 0 ? state : models.readState();
};

const promoteIfComplete = async (
  { clock, models }: RequiredPorts,
  to: string,
  state: SearchModelsState,
): Promise<Pick<ModelCheck, 'completedChange' | 'ongoingChange'>> => {
  const { serving: from } = state;
  if (!shouldSwitchTo(to, state, clock.now())) return { completedChange: null, ongoingChange: null };
  const progress = from === null ? null : await models.readProgress(from, to);
  const isComplete = progress === null || progress.done + progress.failed === progress.total;
  if (isComplete && (await models.promote(from, to))) return { completedChange: { from, to }, ongoingChange: null };
  return { completedChange: null, ongoingChange: from !== null && progress ? { from, to, ...progress } : null };
};

/**
 * Removes old models, from the index first: if it cannot drop a model now, the record is kept, and the next check tries
 * again.
 */
const removeOldModels = async (
  { clock, models, vectors }: RequiredPorts,
  modelId: string,
  state: SearchModelsState,
): Promise<readonly SearchModel[]> => {
  const oldModels = findRemovableModels(modelId, state, clock.now());
  for (const model of oldModels) {
    while ((await models.removeEmbeddings(model.modelId, removalBatchSize)) > 0);
    await vectors.dropModel(model.modelId);
    await models.remove(model);
  }
  return oldModels;
};

/** Removes old blocks, but only after all operations have vectors from this model, or cannot have any. */
const removeOldBlocks = async (
  { clock, models, operationBlocks }: RequiredPorts,
  modelId: string,
  state: SearchModelsState,
): Promise<readonly SearchModel[]> => {
  const oldModels = findRemovableOperationModels(modelId, state, clock.now());
  if (oldModels.length === 0) return [];
  const { total, done, failed } = await operationBlocks.readProgress(modelId);
  if (done + failed < total) return [];
  while ((await operationBlocks.removeOthers(modelId, blockBatchSize)) > 0);
  for (const model of oldModels) await models.remove(model);
  return oldModels;
};
