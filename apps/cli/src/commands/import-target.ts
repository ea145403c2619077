import type { Portico } from '@portico/composition';
import {
  isPorticoError,
  operatorAuthority,
  SchemaViolationError,
  type ImportedDocument,
  type ImportPlan,
  type ProfileId,
} from '@portico/domain';

/** The destination of published documents: the stores, or a server. */
export interface ImportTarget {
  /** Publishes a document. Throws `DocumentRefused` if it is refused. */
  publish(document: ImportedDocument): Promise<Published>;
  /** Returns the effects of publishing a document, without publishing it. Throws the same errors as `publish`. */
  plan(document: ImportedDocument): Promise<Planned>;
}

export interface Published {
  readonly id: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Whether the description is derived from the document's text. */
  readonly descriptionDerived: boolean;
  /** The ids of other collections with the same name. */
  readonly namesakes: readonly string[];
}

export interface Planned extends Omit<Published, 'id'> {
  /** Null for a collection that would be created. */
  readonly id: string | null;
  readonly changes: Changes;
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

/** The error for a refused document; its message gives the reason. */
export class DocumentRefused extends Error {}

/**
 * Creates a target that publishes to the stores, with the operator's authority. Without a creator, it can only plan.
 */
export const importToStores = ({ useCases }: Portico, createdBy: ProfileId | null): ImportTarget => ({
  publish: async (document) => {
    if (createdBy === null) throw new Error('A dry run must not publish');
    const { collection, outcome, namesakes } = await useCases
      .importCollection(operatorAuthority, createdBy, document)
      .catch(throwRefusal);
    return { id: collection.id, outcome, descriptionDerived: isDerived(collection), namesakes };
  },
  plan: async (document) => {
    const plan = await useCases.planImport(operatorAuthority, document).catch(throwRefusal);
    const { outcome, current, planned, namesakes } = plan;
    return {
      id: current?.id ?? null,
      outcome,
      descriptionDerived: isDerived(planned),
      namesakes,
      changes: changesOf(plan, document),
    };
  },
});

const isDerived = ({ description, descriptionDerived }: ImportPlan['planned']): boolean =>
  descriptionDerived && description !== '';

/** Throws `DocumentRefused` if the document caused the error. Rethrows other errors (a bug, an unavailable store). */
export const throwRefusal = (cause: unknown): never => {
  // Uses the name of the document's field in HTTP, so that both targets report the same error.
  const error = cause instanceof SchemaViolationError ? cause.withName('openapi_spec') : cause;
  if (isPorticoError(error, 'invalid_body') || isPorticoError(error, 'name_shared'))
    throw new DocumentRefused(withoutPrefix(error.message));
  throw error;
};

export const withoutPrefix = (message: string): string => message.replace(/^Invalid request body: /, '');

/** The maximum number of operations listed, the same as a server's. */
const operationsListedMax = 100;

const changesOf = ({ current, planned, added, removed }: ImportPlan, { document }: ImportedDocument): Changes => {
  const summaryOf = (operations: ImportPlan['added']): ListedOperations => ({
    total: operations.length,
    first: operations.slice(0, operationsListedMax).map(({ method, path }) => `${method} ${path}`),
  });
  const change = (part: 'name' | 'description') =>
    current && current[part] !== planned[part] ? { [part]: { from: current[part], to: planned[part] } } : {};
  return {
    ...change('name'),
    ...change('description'),
    document: current?.documentDigest !== document.digest,
    operations_added: summaryOf(added),
    operations_removed: summaryOf(removed),
  };
};
