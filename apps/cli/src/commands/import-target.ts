import type { Portico } from '@portico/composition';
import {
  isPorticoError,
  operatorAuthority,
  SchemaViolated,
  type ImportedDocument,
  type ImportPlan,
  type ProfileId,
} from '@portico/domain';

/** Where documents are published: the stores, or a server. */
export interface ImportTarget {
  /** Publishes a document; throws a `DocumentRefused`. */
  publish(document: ImportedDocument): Promise<Published>;
  /** What publishing it would do, without doing it; throws as `publish`. */
  plan(document: ImportedDocument): Promise<Planned>;
}

export interface Published {
  readonly id: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Whether the description is made of the document's words. */
  readonly descriptionDerived: boolean;
  /** The ids of other collections of the name that this one gets. */
  readonly namesakes: readonly string[];
}

export interface Planned extends Omit<Published, 'id'> {
  /** Null for a collection that would be created. */
  readonly id: string | null;
  readonly changes: Changes;
}

/** What would change; named as in the output. */
export interface Changes {
  readonly name?: Change | undefined;
  readonly description?: Change | undefined;
  /** Whether the document's text would. */
  readonly document: boolean;
  readonly operations_added: NamedOperations;
  readonly operations_removed: NamedOperations;
}
interface Change {
  readonly from: string;
  readonly to: string;
}
interface NamedOperations {
  readonly total: number;
  /** The first of them, as `METHOD path`. */
  readonly first: readonly string[];
}

/** A document that is not taken; the message says why. */
export class DocumentRefused extends Error {}

/** Publishes on the stores, on the operator's authority. Without a creator it only plans. */
export const importToStores = ({ useCases }: Portico, createdBy: ProfileId | null): ImportTarget => ({
  publish: async (document) => {
    if (createdBy === null) throw new Error('A dry run must not publish');
    const { collection, outcome, namesakes } = await useCases
      .importCollection(operatorAuthority, createdBy, document)
      .catch(refused);
    return { id: collection.id, outcome, descriptionDerived: isDerived(collection), namesakes };
  },
  plan: async (document) => {
    const plan = await useCases.planImport(operatorAuthority, document).catch(refused);
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

/** Rethrows what is not the document's fault (a bug, a store that is away). */
export const refused = (thrown: unknown): never => {
  // The name of the document's field in HTTP, so that both report the same error.
  const error = thrown instanceof SchemaViolated ? thrown.of('openapi_spec') : thrown;
  if (isPorticoError(error, 'invalid_body') || isPorticoError(error, 'name_shared'))
    throw new DocumentRefused(withoutPrefix(error.message));
  throw error;
};

export const withoutPrefix = (message: string): string => message.replace(/^Invalid request body: /, '');

/** As many as a server names. */
const operationsNamed = 100;

const changesOf = ({ current, planned, added, removed }: ImportPlan, { document }: ImportedDocument): Changes => {
  const named = (operations: ImportPlan['added']): NamedOperations => ({
    total: operations.length,
    first: operations.slice(0, operationsNamed).map(({ method, path }) => `${method} ${path}`),
  });
  const change = (part: 'name' | 'description') =>
    current && current[part] !== planned[part] ? { [part]: { from: current[part], to: planned[part] } } : {};
  return {
    ...change('name'),
    ...change('description'),
    document: current?.documentDigest !== document.digest,
    operations_added: named(added),
    operations_removed: named(removed),
  };
};
