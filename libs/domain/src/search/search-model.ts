import type { Epochs } from '../access/principal.ts';
import type { Instant } from '../instant.ts';

/** A model whose vectors the database stores, or will store. */
export interface SearchModel {
  readonly modelId: string;
  /**
   * When a process first had this model as its current one; 0 if that was before models were recorded. Unique for each
   * model.
   */
  readonly firstSeenAt: Instant;
  /** When a process last announced the model, with a precision of `announceEveryMs`. */
  readonly lastSeenAt: Instant;
}

export interface SearchModelsState {
  /** The model that searches use in all processes; null if there is none yet. */
  readonly serving: string | null;
  /** Sorted by `firstSeenAt`; includes the operation models, under their `operationModelNameOf`. */
  readonly announcedModels: readonly SearchModel[];
  readonly epochs: Pick<Epochs, 'catalog' | 'embeddings' | 'operations'>;
}

/** The progress of replacing one model's vectors with another model's. */
export interface ModelProgress {
  /** Collections that have a vector from the serving model. */
  readonly total: number;
  /** Collections that also have a vector from the next model, created from the same or a later revision of the text. */
  readonly done: number;
  /** Collections that do not, and have a job that is a dead letter. */
  readonly failed: number;
}

/** A change of the model that searches use, in progress. */
export interface ModelChange extends ModelProgress {
  readonly from: string;
  readonly to: string;
}

/** How often a process announces that its current model is still in use. */
const announceEveryMs = 600_000;

/** A model that has not been announced for this long is no longer any process's current model. */
const absentAfterMs = 1_800_000;

/** A model that has not been announced for this long loses its vectors: no process will return to it. */
const retentionMs = 86_400_000;

export const needsAnnouncing = (modelId: string, { announcedModels }: SearchModelsState, now: Instant): boolean => {
  const announcedModel = announcedModels.find((model) => model.modelId === modelId);
  return announcedModel === undefined || now - announcedModel.lastSeenAt >= announceEveryMs;
};

/**
 * Whether searches should switch to this model once its vectors are stored. Only a model that was announced later than
 * the serving one qualifies, so that processes running two versions do not switch back and forth; or any model, if no
 * process has the serving one any more.
 */
export const shouldSwitchTo = (
  modelId: string,
  { serving, announcedModels }: SearchModelsState,
  now: Instant,
): boolean => {
  if (serving === null) return true;
  const [candidate, current] = [modelId, serving].map((id) => announcedModels.find((model) => model.modelId === id));
  if (modelId === serving || !candidate) return false;
  if (!current) return true;
  return candidate.firstSeenAt > current.firstSeenAt || now - current.lastSeenAt >= absentAfterMs;
};

/**
 * Returns the collection models that this process may remove: those that are neither serving nor its own, and have not
 * been announced for a day.
 */
export const findRemovableModels = (
  modelId: string,
  { serving, announcedModels }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] =>
  announcedModels.filter(
    (model) =>
      !isOperationModel(model) &&
      model.modelId !== serving &&
      model.modelId !== modelId &&
      now - model.lastSeenAt >= retentionMs,
  );

const operationPrefix = 'operations: ';

/**
 * Returns the name that an operation model is announced under, so that it is never confused with a model that embeds
 * collections.
 */
export const operationModelNameOf = (modelId: string): string => operationPrefix + modelId;

const isOperationModel = ({ modelId }: SearchModel): boolean => modelId.startsWith(operationPrefix);

/** Whether several collection models are recorded. */
export const hasSeveralModels = ({ announcedModels }: SearchModelsState): boolean =>
  announcedModels.filter((model) => !isOperationModel(model)).length > 1;

/**
 * Returns all other operation models if none of them has been announced for a day; otherwise returns none. While one is
 * being announced, a process with a different version or configuration may still search with it.
 */
export const findRemovableOperationModels = (
  modelId: string,
  { announcedModels }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] => {
  const otherModels = announcedModels.filter(
    (model) => isOperationModel(model) && model.modelId !== operationModelNameOf(modelId),
  );
  return otherModels.every(({ lastSeenAt }) => now - lastSeenAt >= retentionMs) ? otherModels : [];
};
