import type { Epochs } from '../access/principal.ts';
import type { Instant } from '../instant.ts';

/** A model whose vectors the database holds, or will hold. */
export interface SearchModel {
  readonly modelId: string;
  /** When a process first had it as its current model; 0 if that was before models were recorded. Each has its own. */
  readonly firstSeenAt: Instant;
  /** When a process last said so, to `announceEveryMs`. */
  readonly lastSeenAt: Instant;
}

export interface SearchModelsState {
  /** The model that searches use in all processes; null before the first. */
  readonly serving: string | null;
  /** By `firstSeenAt`; with the models of operations, under their `operationModelName`. */
  readonly announced: readonly SearchModel[];
  readonly epochs: Pick<Epochs, 'catalog' | 'embeddings' | 'operations'>;
}

/** How far the vectors of one model have come towards replacing those of another. */
export interface ModelProgress {
  /** Collections that have a vector of the serving model. */
  readonly total: number;
  /** Those that also have one of the next model, from a text that is not older. */
  readonly done: number;
  /** Those that do not, and whose job is a dead letter. */
  readonly failed: number;
}

/** A change of the model that searches use, under way. */
export interface ModelChange extends ModelProgress {
  readonly from: string;
  readonly to: string;
}

/** How often a process says that its current model is still in use. */
const announceEveryMs = 600_000;

/** A model that was not announced for this long is no process's current one any more. */
const absentAfterMs = 1_800_000;

/** A model that was not announced for this long loses its vectors: nobody goes back to it. */
const forgottenAfterMs = 86_400_000;

export const needsAnnouncing = (modelId: string, { announced }: SearchModelsState, now: Instant): boolean => {
  const known = announced.find((model) => model.modelId === modelId);
  return known === undefined || now - known.lastSeenAt >= announceEveryMs;
};

/**
 * Whether searches should change to this model, once its vectors are there. Only ever to one that was announced later,
 * so that processes of two versions do not change it back and forth; or if no process has the serving one any more.
 */
export const isNext = (modelId: string, { serving, announced }: SearchModelsState, now: Instant): boolean => {
  if (serving === null) return true;
  const [candidate, current] = [modelId, serving].map((id) => announced.find((model) => model.modelId === id));
  if (modelId === serving || !candidate) return false;
  if (!current) return true;
  return candidate.firstSeenAt > current.firstSeenAt || now - current.lastSeenAt >= absentAfterMs;
};

/** The models of collections that this process may forget: neither serving nor its own, and not announced for a day. */
export const forgettable = (
  modelId: string,
  { serving, announced }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] =>
  announced.filter(
    (model) =>
      !isOfOperations(model) &&
      model.modelId !== serving &&
      model.modelId !== modelId &&
      now - model.lastSeenAt >= forgottenAfterMs,
  );

const operationPrefix = 'operations: ';

/** The name by which a model of operations is announced: it is never taken for one that embeds collections. */
export const operationModelName = (modelId: string): string => operationPrefix + modelId;

const isOfOperations = ({ modelId }: SearchModel): boolean => modelId.startsWith(operationPrefix);

/** Whether several models of collections are recorded. */
export const isShared = ({ announced }: SearchModelsState): boolean =>
  announced.filter((model) => !isOfOperations(model)).length > 1;

/**
 * All other models of operations, if this process may forget them: none was announced for a day. As long as one was, a
 * process of another version or configuration may still search with it.
 */
export const forgettableOfOperations = (
  modelId: string,
  { announced }: SearchModelsState,
  now: Instant,
): readonly SearchModel[] => {
  const others = announced.filter((model) => isOfOperations(model) && model.modelId !== operationModelName(modelId));
  return others.every(({ lastSeenAt }) => now - lastSeenAt >= forgottenAfterMs) ? others : [];
};
