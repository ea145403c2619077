import type { AdminAuthority } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { describedBy } from './description.ts';
import {
  applied,
  changedFields,
  createCollection,
  refuseViolations,
  updateCollection,
  type CollectionEdit,
  type NewCollection,
  type WritingNeeds,
} from './write-collection.ts';

export interface ImportedDocument extends Pick<NewCollection, 'name' | 'document' | 'strict'> {
  /** Where the document comes from: the same place updates the same collection. Null: the collection of exactly this name. */
  readonly importKey: string | null;
}

export type ImportOutcome = 'created' | 'updated' | 'unchanged';

/** The other collections of a name that a collection gets: whoever names one of them has to use its id from then on. */
export interface Namesakes {
  readonly namesakes: readonly CollectionId[];
}

/**
 * Adds a collection from a document, or updates the one that an earlier import made from it. Its description is the
 * document's own; if that has none, one that was written stays, and any other is made of the document's words. Throws
 * `name_shared` if it goes by name and several collections have it.
 */
export const importCollection = (ports: WritingNeeds, settings: Settings) => {
  const create = createCollection(ports, settings);
  const update = updateCollection(ports, settings);
  return async (
    authority: AdminAuthority,
    createdBy: ProfileId,
    input: ImportedDocument,
  ): Promise<Namesakes & { readonly collection: Collection; readonly outcome: ImportOutcome }> => {
    const known = await knownFor(ports, input);
    if (!known) {
      const { name, document, strict, importKey } = input;
      const created = { name, document, strict, ...describedBy(document), authentication: null };
      const collection = await create(authority, createdBy, {
        ...created,
        ...(importKey === null ? {} : { importKey }),
      });
      return { collection, outcome: 'created', namesakes: await namesakesOf(ports, collection) };
    }
    const { collection, changed } = await update(authority, known, editOf(input));
    const namesakes = changed ? await namesakesOf(ports, collection) : [];
    return { collection, outcome: changed ? 'updated' : 'unchanged', namesakes };
  };
};

/** What an import would do. */
export interface ImportPlan extends Namesakes {
  readonly outcome: ImportOutcome;
  /** The collection as it is; null if it would be created. */
  readonly current: Collection | null;
  /** The collection as it would be. */
  readonly planned: Pick<Collection, 'name' | 'description' | 'descriptionDerived'>;
  /** Operations are the same if method and path are; in the order of their document. */
  readonly added: readonly Operation[];
  readonly removed: readonly Operation[];
}

type PlanningNeeds = Pick<Ports, 'collections' | 'operations' | 'documents' | 'cipher'>;

/** Finds out what `importCollection` would do, and throws what it would throw. Writes nothing. */
export const planImport =
  (ports: PlanningNeeds, settings: Settings) =>
  async (_authority: AdminAuthority, input: ImportedDocument): Promise<ImportPlan> => {
    const { document, name, strict } = input;
    const known = await knownFor(ports, input);
    refuseViolations(settings, strict, document);
    const current = known && (await ports.collections.find(known));
    if (!current) {
      const planned = { name, ...describedBy(document) };
      const namesakes = await namesakesOf(ports, { id: null, name });
      return { outcome: 'created', current: null, planned, namesakes, added: document.operations, removed: [] };
    }
    const planned = applied(ports.cipher, current, editOf(input));
    const outcome = changedFields(current, planned).length > 0 ? 'updated' : 'unchanged';
    const before = await operationsOf(ports, current);
    const [added, removed] = [missingIn(before, document.operations), missingIn(document.operations, before)];
    const namesakes = outcome === 'updated' ? await namesakesOf(ports, { id: known, name }) : [];
    return { outcome, current, planned, namesakes, added, removed };
  };

const editOf = ({ name, document, strict }: ImportedDocument): CollectionEdit => ({
  name,
  document,
  strict,
  description: document.description || undefined,
});

/** The collection that an import updates; null if there is none. */
const knownFor = async (
  { collections }: Pick<Ports, 'collections'>,
  { importKey, name }: ImportedDocument,
): Promise<CollectionId | null> => {
  if (importKey !== null) return (await collections.findByImportKey(importKey))?.id ?? null;
  const [first, second] = await named(collections, name);
  if (second) throw new PorticoError('name_shared', { because: 'rename all but one, or publish by an import key' });
  return first?.id ?? null;
};

const namesakesOf = async (
  { collections }: Pick<Ports, 'collections'>,
  { id, name }: { readonly id: CollectionId | null; readonly name: string },
): Promise<readonly CollectionId[]> =>
  (await named(collections, name)).flatMap((other) => (other.id === id ? [] : other.id));

const named = (collections: Ports['collections'], name: string) => collections.findByNames({ of: 'all' }, [name]);

const everything = { tag: null, containing: null };

/** The operations of the stored document. Those of one that an earlier version stored may not be written yet. */
const operationsOf = async (
  { collections, operations, documents }: Omit<PlanningNeeds, 'cipher'>,
  { id, documentDigest }: Collection,
): Promise<readonly Operation[]> => {
  if ((await operations.digest(id)) === documentDigest) return operations.list(id, everything, null);
  const stored = await collections.document(id);
  return stored ? documents.readOperations(stored.packed) : [];
};

const missingIn = (those: readonly Operation[], these: readonly Operation[]): readonly Operation[] => {
  const keys = new Set(those.map(({ key }) => key));
  return these.filter(({ key }) => !keys.has(key));
};
