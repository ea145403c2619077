import type { Epochs } from '../access/principal.ts';
import type { Instant } from '../instant.ts';

/** A model whose vectors the database stores, or will store. */
export interface SearchModel {
  readonly modelId: string;
  /**
   * When a process first had it as its current model; 0 if that was before models were recorded. Unique for each model.
   */
  readonly firstSeenAt: Instant;
  /** When a process last announced it, with a precision of `announceEveryMs`. */
  readonly lastSeenAt: Instant;
}

export interface SearchModelsState {
  /** The model that searches use in all processes; null before the first. */
  readonly serving: string | null;
  /** Sorted by `firstSeenAt`; includes the models of operations, under their `operationModelName`. */
  readonly announced: readonly SearchModel[];
  readonly epochs: Pick<Epochs, 'catalog' | 'embeddings' | 'operations'>;
}

/** The progress of replacing the vectors of one model by those of another. */
export interface ModelProgress {
  /** Collections that have a vector of the serving model. */
  readonly total: number;
  /** Those that also have a vector of the next model, from a text that is not older. */
  readonly done: number;
  /** Those that do not, and have a job that is a dead letter. */
  readonly failed: number;
}

/** A change of the model that searches use, in progress. */
export interface ModelChange extends ModelProgress {
  readonly from: string;
  readonly to: string;
}

/** How often a process announces that its current model is still in use. */
const announceEveryMs = 600_000;

/** A model that was not announced for this long is no longer the current one of any process. */
const absentAfterMs = 1_800_000;

/** A model that was not announced for this long loses its vectors: no process will return to it. */
const retentionMs = 86_400_000;

export const needsAnnouncing = (modelId: string, { announced }: SearchModelsState, now: Instant): boolean => {
  const record = announced.find((model) => model.modelId === modelId);
  return record === undefined || now - record.lastSeenAt >= announceEveryMs;
};

/**
 * Whether searches should switch to this model once its vectors are stored. Only a model that was announced later
 * qualifies, so that processes of two versions do not switch back and forth; or any model if no process has the serving
 * one any more.
 */
export const shouldSwitchTo = (modelId: string, { serving, announced }: SearchModelsState, now: Instant): boolean => {
  if (serving === null) return true;
  const [candidate, current] = [modelId, serving].map((id) => announced.find((model) => model.modelId === id));
  if (modelId === serving || !candidate) return false;
  if (!current) return true;
  return candidate.firstSeenAt > current.firstSeenAt || now - current.lastSeenAt >= absentAfterMs;
};

/**
 * Returns the models of collections that this process may remove: neither serving nor its own, and not announced for a
 * day.
 */
export const removableModels = (
  modelId: string,
  { serving, announced }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] =>
  announced.filter(
    (model) =>
      !isOperationModel(model) &&
      model.modelId !== serving &&
      model.modelId !== modelId &&
      now - model.lastSeenAt >= retentionMs,
  );

const operationPrefix = 'operations: ';

/**
 * Returns the name under which a model of operations is announced: it is never confused with one that embeds
 * collections.
 */
export const operationModelName = (modelId: string): string => operationPrefix + modelId;

const isOperationModel = ({ modelId }: SearchModel): boolean => modelId.startsWith(operationPrefix);

/** Whether several models of collections are recorded. */
export const hasSeveralModels = ({ announced }: SearchModelsState): boolean =>
  announced.filter((model) => !isOperationModel(model)).length > 1;

/**
 * Returns all other models of operations, if none of them was announced for a day; otherwise none. While one is being
 * announced, a process of another version or configuration may still search with it.
 */
export const removableOperationModels = (
  modelId: string,
  { announced }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] => {
  const others = announced.filter((model) => isOperationModel(model) && model.modelId !== operationModelName(modelId));
  return others.every(({ lastSeenAt }) => now - lastSeenAt >= retentionMs) ? others : [];
};
