import type { AdminAuthority } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { compareEdit } from './compare-edit.ts';
import { descriptionFrom } from './description.ts';
import {
  applyEdit,
  listChangedFields,
  createCollection,
  rejectViolations,
  updateCollection,
  type CollectionEdit,
  type DocumentChange,
  type NewCollection,
  type WritingPorts,
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

export interface ImportResult extends Namesakes {
  readonly collection: Collection;
  readonly outcome: ImportOutcome;
  /** Null for a new collection, and if the document has not changed. */
  readonly documentChange: DocumentChange | null;
}

/**
 * Adds a collection from a document, or updates the one that an earlier import created from it. Its description is the
 * document's own; if the document has none, a written description is kept, and any other is derived from the document.
 * Throws `name_shared` if the import is by name and several collections have that name.
 */
export const importCollection = (ports: WritingPorts, settings: Settings) => {
  const create = createCollection(ports, settings);
  const update = updateCollection(ports, settings);
  return async (authority: AdminAuthority, createdBy: ProfileId, input: ImportedDocument): Promise<ImportResult> => {
    const existingId = await findExisting(ports, input);
    if (!existingId) {
      const { name, document, strict, importKey } = input;
      const fields = { name, document, strict, ...descriptionFrom(document), authentication: null };
      const collection = await create(authority, createdBy, {
        ...fields,
        ...(importKey === null ? {} : { importKey }),
      });
      const namesakes = await namesakesOf(ports, collection);
      return { collection, outcome: 'created', namesakes, documentChange: null };
    }
    const edit = { ...editOf(input), origin: input.importKey };
    const { collection, hasChanged, documentChange } = await update(authority, existingId, edit);
    const namesakes = hasChanged ? await namesakesOf(ports, collection) : [];
    return { collection, outcome: hasChanged ? 'updated' : 'unchanged', namesakes, documentChange };
  };
};

/** The changes that an import would make. */
export interface ImportPlan extends Namesakes {
  readonly outcome: ImportOutcome;
  /** The current collection; null if one would be created. */
  readonly current: Collection | null;
  /** The collection after the import. */
  readonly plannedFields: Pick<Collection, 'name' | 'description' | 'descriptionDerived' | 'documentDigest'>;
  /**
   * The added operations, in the order of their document. Operations are the same if their methods and paths are equal.
   */
  readonly addedOperations: readonly Operation[];
  readonly removedOperations: readonly Operation[];
  /** The changes that callers may notice; null unless an existing document changes. */
  readonly documentChange: DocumentChange | null;
}

type PlanningPorts = Pick<Ports, 'clock' | 'collections' | 'operations' | 'documents' | 'cipher'>;

/** Returns the changes that `importCollection` would make, and throws the same errors. Writes nothing. */
export const planImport =
  (ports: PlanningPorts, settings: Settings) =>
  async (_authority: AdminAuthority, input: ImportedDocument): Promise<ImportPlan> => {
    const { document, name, strict } = input;
    const existingId = await findExisting(ports, input);
    rejectViolations(settings, strict, document);
    const current = existingId && (await ports.collections.find(existingId));
    if (!current) {
      const plannedFields = { name, documentDigest: document.digest, ...descriptionFrom(document) };
      const namesakes = await namesakesOf(ports, { id: null, name });
      return {
        outcome: 'created',
        current: null,
        plannedFields,
        namesakes,
        addedOperations: document.operations,
        removedOperations: [],
        documentChange: null,
      };
    }
    const plannedFields = applyEdit(ports.cipher, current, editOf(input));
    const outcome = listChangedFields(current, plannedFields).length > 0 ? 'updated' : 'unchanged';
    const currentOperations = await operationsOf(ports, current);
    const [addedOperations, removedOperations] = [
      findMissing(currentOperations, document.operations),
      findMissing(document.operations, currentOperations),
    ];
    const namesakes = outcome === 'updated' ? await namesakesOf(ports, { id: existingId, name }) : [];
    const documentChange = await compareEdit(ports, null, current.id, document);
    return { outcome, current, plannedFields, namesakes, addedOperations, removedOperations, documentChange };
  };

const editOf = ({ name, document, strict }: ImportedDocument): CollectionEdit => ({
  name,
  document,
  strict,
  acceptsVersion32: true,
  description: document.description || undefined,
});

/** Returns the collection that an import updates; null if there is none. */
const findExisting = async (
  { collections }: Pick<Ports, 'collections'>,
  { importKey, name }: ImportedDocument,
): Promise<CollectionId | null> => {
  if (importKey !== null) return (await collections.findByImportKey(importKey))?.id ?? null;
  const [match, secondMatch] = await findByName(collections, name);
  if (secondMatch)
    throw new PorticoError('name_shared', { reason: 'rename all but one, or publish with an import key' });
  return match?.id ?? null;
};

const namesakesOf = async (
  { collections }: Pick<Ports, 'collections'>,
  { id, name }: { readonly id: CollectionId | null; readonly name: string },
): Promise<readonly CollectionId[]> =>
  (await findByName(collections, name)).flatMap((namesake) => (namesake.id === id ? [] : namesake.id));

const findByName = (collections: Ports['collections'], name: string) =>
  collections.findByNames({ scope: 'all' }, [name]);

const noFilter = { tag: null, containing: null };

/**
 * Returns the operations of the stored document. If an earlier version stored the document, they may not have been
 * written yet.
 */
const operationsOf = async (
  { collections, operations, documents }: Pick<PlanningPorts, 'collections' | 'operations' | 'documents'>,
  { id, documentDigest }: Collection,
): Promise<readonly Operation[]> => {
  if ((await operations.findDigest(id)) === documentDigest) return operations.list(id, noFilter, null);
  const storedDocument = await collections.findDocument(id);
  return storedDocument ? documents.readOperations(storedDocument.packed) : [];
};

const findMissing = (
  existingOperations: readonly Operation[],
  candidates: readonly Operation[],
): readonly Operation[] => {
  const keys = new Set(existingOperations.map(({ key }) => key));
  return candidates.filter(({ key }) => !keys.has(key));
};
