import type { AdminAuthority } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { descriptionFrom } from './description.ts';
import {
  applyEdit,
  changedFields,
  createCollection,
  rejectViolations,
  updateCollection,
  type CollectionEdit,
  type NewCollection,
  type WritingNeeds,
} from './write-collection.ts';

export interface ImportedDocument extends Pick<NewCollection, 'name' | 'document' | 'strict'> {
  /**
   * The source of the document: an import from the same source updates the same collection. If null, the import updates
   * the collection with exactly this name.
   */
  readonly importKey: string | null;
}

export type ImportOutcome = 'created' | 'updated' | 'unchanged';

/**
 * The other collections that have the new name of a collection: from then on, references to any of these collections
 * must use the id.
 */
export interface Namesakes {
  readonly namesakes: readonly CollectionId[];
}

/**
 * Adds a collection from a document, or updates the one that an earlier import created from it. Its description is the
 * document's own; if the document has none, a written description is kept, and any other is derived from the document.
 * Throws `name_shared` if the import is by name and several collections have that name.
 */
export const importCollection = (ports: WritingNeeds, settings: Settings) => {
  const create = createCollection(ports, settings);
  const update = updateCollection(ports, settings);
  return async (
    authority: AdminAuthority,
    createdBy: ProfileId,
    input: ImportedDocument,
  ): Promise<Namesakes & { readonly collection: Collection; readonly outcome: ImportOutcome }> => {
    const existing = await findExisting(ports, input);
    if (!existing) {
      const { name, document, strict, importKey } = input;
      const fields = { name, document, strict, ...descriptionFrom(document), authentication: null };
      const collection = await create(authority, createdBy, {
        ...fields,
        ...(importKey === null ? {} : { importKey }),
      });
      return { collection, outcome: 'created', namesakes: await namesakesOf(ports, collection) };
    }
    const { collection, changed } = await update(authority, existing, editOf(input));
    const namesakes = changed ? await namesakesOf(ports, collection) : [];
    return { collection, outcome: changed ? 'updated' : 'unchanged', namesakes };
  };
};

/** The changes that an import would make. */
export interface ImportPlan extends Namesakes {
  readonly outcome: ImportOutcome;
  /** The current collection; null if one would be created. */
  readonly current: Collection | null;
  /** The collection after the import. */
  readonly planned: Pick<Collection, 'name' | 'description' | 'descriptionDerived'>;
  /**
   * The added operations, in the order of their document. Operations are the same if their methods and paths are equal.
   */
  readonly added: readonly Operation[];
  readonly removed: readonly Operation[];
}

type PlanningNeeds = Pick<Ports, 'collections' | 'operations' | 'documents' | 'cipher'>;

/** Returns the changes that `importCollection` would make, and throws the same errors. Writes nothing. */
export const planImport =
  (ports: PlanningNeeds, settings: Settings) =>
  async (_authority: AdminAuthority, input: ImportedDocument): Promise<ImportPlan> => {
    const { document, name, strict } = input;
    const existing = await findExisting(ports, input);
    rejectViolations(settings, strict, document);
    const current = existing && (await ports.collections.find(existing));
    if (!current) {
      const planned = { name, ...descriptionFrom(document) };
      const namesakes = await namesakesOf(ports, { id: null, name });
      return { outcome: 'created', current: null, planned, namesakes, added: document.operations, removed: [] };
    }
    const planned = applyEdit(ports.cipher, current, editOf(input));
    const outcome = changedFields(current, planned).length > 0 ? 'updated' : 'unchanged';
    const before = await operationsOf(ports, current);
    const [added, removed] = [missingIn(before, document.operations), missingIn(document.operations, before)];
    const namesakes = outcome === 'updated' ? await namesakesOf(ports, { id: existing, name }) : [];
    return { outcome, current, planned, namesakes, added, removed };
  };

const editOf = ({ name, document, strict }: ImportedDocument): CollectionEdit => ({
  name,
  document,
  strict,
  description: document.description || undefined,
});

/** Returns the collection that an import updates; null if there is none. */
const findExisting = async (
  { collections }: Pick<Ports, 'collections'>,
  { importKey, name }: ImportedDocument,
): Promise<CollectionId | null> => {
  if (importKey !== null) return (await collections.findByImportKey(importKey))?.id ?? null;
  const [first, second] = await findByName(collections, name);
  if (second) throw new PorticoError('name_shared', { because: 'rename all but one, or publish by an import key' });
  return first?.id ?? null;
};

const namesakesOf = async (
  { collections }: Pick<Ports, 'collections'>,
  { id, name }: { readonly id: CollectionId | null; readonly name: string },
): Promise<readonly CollectionId[]> =>
  (await findByName(collections, name)).flatMap((other) => (other.id === id ? [] : other.id));

const findByName = (collections: Ports['collections'], name: string) => collections.findByNames({ of: 'all' }, [name]);

const everything = { tag: null, containing: null };

/**
 * Returns the operations of the stored document. If an earlier version stored the document, they may not have been
 * written yet.
 */
const operationsOf = async (
  { collections, operations, documents }: Omit<PlanningNeeds, 'cipher'>,
  { id, documentDigest }: Collection,
): Promise<readonly Operation[]> => {
  if ((await operations.digest(id)) === documentDigest) return operations.list(id, everything, null);
  const stored = await collections.document(id);
  return stored ? documents.readOperations(stored.packed) : [];
};

const missingIn = (present: readonly Operation[], candidates: readonly Operation[]): readonly Operation[] => {
  const keys = new Set(present.map(({ key }) => key));
  return candidates.filter(({ key }) => !keys.has(key));
};
