import type { Portico } from '@portico/composition';
import {
  isPorticoError,
  operatorAuthority,
  SchemaViolationError,
  toAffectedView,
  toDocumentChangesView,
  type ChangeCounts,
  type ChangeLevel,
  type ImportedDocument,
  type ImportPlan,
  type ProfileId,
} from '@portico/domain';

/** The destination of published documents: the stores, or a server. */
export interface ImportTarget {
  /** Publishes a document. Throws `DocumentRejectedError` if it is rejected. */
  publish(document: ImportedDocument): Promise<ImportResult>;
  /** Returns the effects of publishing a document, without publishing it. Throws the same errors as `publish`. */
  plan(document: ImportedDocument): Promise<PlannedImport>;
}

export interface ImportResult {
  readonly id: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Whether the description is derived from the document's text. */
  readonly descriptionDerived: boolean;
  /** The ids of other collections with the same name. */
  readonly namesakes: readonly string[];
}

export interface PlannedImport extends Omit<ImportResult, 'id'> {
  /** Null for a collection that would be created. */
  readonly id: string | null;
  readonly changes: Changes;
  /** Null unless an existing document changes, and from servers of earlier versions. */
  readonly comparison: ComparisonSummary | null;
  /** Null without breaking changes of operations, and from servers of earlier versions. */
  readonly affected: AffectedSummary | null;
}

/** The clients that breaking changes concern; named as in the output. */
export interface AffectedSummary {
  readonly callers_total: number;
  readonly affected_total: number;
  readonly operations: readonly {
    readonly operation_key: string;
    readonly method: string;
    readonly path: string;
    readonly used_by_total: number;
    readonly people?: readonly string[] | undefined;
    readonly groups?: readonly string[] | undefined;
  }[];
}

/** The changes that callers may notice; named as in the output. */
export interface ComparisonSummary {
  /** Null if the changes are unknown, because the documents are too large. */
  readonly counts: ChangeCounts | null;
  readonly total: number | null;
  readonly first: readonly ListedChange[];
}
export interface ListedChange {
  readonly rule: string;
  readonly level: ChangeLevel;
  readonly method: string | null;
  readonly path: string | null;
  readonly place: string;
  readonly text: string;
}

/** The changes that publishing would make; named as in the output. */
export interface Changes {
  readonly name?: Change | undefined;
  readonly description?: Change | undefined;
  /** Whether the document's text would change. */
  readonly document: boolean;
  readonly operations_added: ListedOperations;
  readonly operations_removed: ListedOperations;
}
interface Change {
  readonly from: string;
  readonly to: string;
}
interface ListedOperations {
  readonly total: number;
  /** The first operations, as `METHOD path`. */
  readonly first: readonly string[];
}

/** The error for a rejected document; its message gives the reason. */
export class DocumentRejectedError extends Error {}

/**
 * Creates a target that publishes to the stores, with the operator's authority. Without a creator, it can only plan.
 */
export const createStoresTarget = ({ useCases }: Portico, createdBy: ProfileId | null): ImportTarget => ({
  publish: async (document) => {
    if (createdBy === null) throw new Error('A dry run must not publish');
    const { collection, outcome, namesakes } = await useCases
      .importCollection(operatorAuthority, createdBy, document)
      .catch(throwDocumentRejection);
    return { id: collection.id, outcome, descriptionDerived: isDerived(collection), namesakes };
  },
  plan: async (document) => {
    const plan = await useCases.planImport(operatorAuthority, document).catch(throwDocumentRejection);
    const { outcome, current, plannedFields, namesakes } = plan;
    return {
      id: current?.id ?? null,
      outcome,
      descriptionDerived: isDerived(plannedFields),
      namesakes,
      changes: changesOf(plan),
      comparison: plan.documentChange && toDocumentChangesView(plan.documentChange.comparison),
      affected: await readAffected(useCases, plan),
    };
  },
});

/** Returns the clients that the breaking changes of a plan concern; null if there are none. */
const readAffected = async (
  useCases: Portico['useCases'],
  { current, documentChange }: ImportPlan,
): Promise<AffectedSummary | null> => {
  const comparison = documentChange?.comparison;
  if (!current || !comparison) return null;
  const affected = await useCases.readAffected(operatorAuthority, current.id, comparison, { namesUsers: true });
  return affected && toAffectedView(affected);
};

const isDerived = ({ description, descriptionDerived }: ImportPlan['plannedFields']): boolean =>
  descriptionDerived && description !== '';

/** Throws `DocumentRejectedError` if the document caused the error. Rethrows all others (bugs, unavailable stores). */
export const throwDocumentRejection = (cause: unknown): never => {
  // Uses the name of the document's field in HTTP, so that both targets report the same error.
  const error = cause instanceof SchemaViolationError ? cause.withName('openapi_spec') : cause;
  if (isPorticoError(error, 'invalid_body') || isPorticoError(error, 'name_shared'))
    throw new DocumentRejectedError(removePrefix(error.message));
  throw error;
};

export const removePrefix = (message: string): string => message.replace(/^Invalid request body: /, '');

/** The maximum number of operations listed, which equals the server's. */
const operationsListedMax = 100;

const changesOf = ({ current, plannedFields, addedOperations, removedOperations }: ImportPlan): Changes => {
  const summaryOf = (operations: ImportPlan['addedOperations']): ListedOperations => ({
    total: operations.length,
    first: operations.slice(0, operationsListedMax).map(({ method, path }) => `${method} ${path}`),
  });
  const changeOf = (field: 'name' | 'description') =>
    current && current[field] !== plannedFields[field]
      ? { [field]: { from: current[field], to: plannedFields[field] } }
      : {};
  return {
    ...changeOf('name'),
    ...changeOf('description'),
    document: current?.documentDigest !== plannedFields.documentDigest,
    operations_added: summaryOf(addedOperations),
    operations_removed: summaryOf(removedOperations),
  };
};
