import type { AdminAuthority } from '../../access/principal.ts';
import type { Collection, CollectionHead } from '../../collections/collection.ts';
import type { ReadDocument } from '../../documents/document.ts';
import { SchemaViolationError } from '../../documents/schema-violation-error.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { ofCollection, auditEffects } from '../audit/system-entry.ts';
import type { NewJob } from '../../jobs/job.ts';
import { collectionJob } from '../search/collection-jobs.ts';
import { type AuthenticationInput, nextAuthentication } from './authentication.ts';
import { nextDescription } from './description.ts';

export interface NewCollection {
  readonly name: string;
  readonly description: string;
  /** Whether the description is derived from the document; false by default. */
  readonly descriptionDerived?: boolean;
  /** Null to use the document's authentication. */
  readonly authentication: AuthenticationInput | null;
  /** Whether profiles without a grant can find the collection and request access; false by default. */
  readonly discoverable?: boolean | undefined;
  readonly document: ReadDocument;
  /** Whether to reject a document with warnings (`SchemaViolationError`). */
  readonly strict: boolean;
  readonly importKey?: string;
}

/** Changes to a collection; undefined members leave it unchanged. */
export interface CollectionEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Null removes the authentication set by an admin, so that the document's applies again. */
  readonly authentication?: AuthenticationInput | null | undefined;
  readonly discoverable?: boolean | undefined;
  readonly document?: ReadDocument | undefined;
  readonly strict: boolean;
}

/** A condition on the current collection for a change; it is checked in the transaction of the change. */
export type Precondition = (current: CollectionHead) => boolean;

export type WritingNeeds = Pick<Ports, 'clock' | 'random' | 'collections' | 'cipher'>;

/** Adds a collection. It is embedded later, in the background. */
export const createCollection =
  (ports: WritingNeeds, settings: Settings) =>
  async (authority: AdminAuthority, createdBy: ProfileId, input: NewCollection): Promise<Collection> => {
    const { name, description, document } = input;
    rejectViolations(settings, input.strict, document);
    const id = ports.random.uuid() as CollectionId;
    const now = ports.clock.now();
    const collection: Collection = {
      id,
      name,
      description,
      createdBy,
      createdAt: now,
      updatedAt: now,
      revision: 1,
      contentRevision: 1,
      descriptionDerived: input.descriptionDerived ?? false,
      storedAuthentication: nextAuthentication(ports.cipher, id, null, input.authentication),
      discoverable: input.discoverable ?? false,
      importKey: input.importKey ?? null,
      ...factsOf(document),
    };
    const jobs = embeddingJobs(ports, id);
    const effects = auditEffects(ports, authority, {
      action: 'collection.create',
      ...ofCollection(collection),
      ...(collection.descriptionDerived ? { description_derived: true } : {}),
      ...(collection.discoverable ? { discoverable: true } : {}),
    });
    await ports.collections.add(collection, document, { ...effects, jobs });
    return collection;
  };

export interface UpdatedCollection {
  readonly collection: Collection;
  /** False if nothing was written; in that case, `updatedAt` is unchanged. */
  readonly changed: boolean;
}

/**
 * Changes a collection; writes nothing if nothing changes. After a change of the name or description, the collection is
 * embedded again; after such a change or a new document, its operations are also embedded again. A derived description
 * is updated with the document. Throws `precondition_failed`, and changes nothing, if the current collection does not
 * meet the caller's precondition.
 */
export const updateCollection =
  (ports: WritingNeeds, settings: Settings) =>
  async (
    authority: AdminAuthority,
    id: CollectionId,
    edit: CollectionEdit,
    isExpected: Precondition = always,
  ): Promise<UpdatedCollection> => {
    if (edit.document) rejectViolations(settings, edit.strict, edit.document);
    const jobs = embeddingJobs(ports, id);
    const now = ports.clock.now();
    let changed = false;
    let needed: readonly NewJob[] = [];
    const collection = await ports.collections.update(id, (current) => {
      checkPrecondition(isExpected, current);
      const edited = applyEdit(ports.cipher, current, edit);
      const fields = changedFields(current, edited);
      changed = fields.length > 0;
      const isReworded = fields.includes('name') || fields.includes('description');
      needed = jobs.filter(
        ({ task }) => isReworded || (task.kind === 'operations' && fields.includes('documentDigest')),
      );
      if (!changed) return null;
      return {
        collection: {
          ...edited,
          revision: current.revision + 1,
          contentRevision: current.contentRevision + (isReworded ? 1 : 0),
          updatedAt: nextChangeAt(current.updatedAt, now),
        },
        ...(edit.document && fields.includes('documentDigest') ? { document: edit.document } : {}),
        ...auditEffects(ports, authority, {
          action: 'collection.update',
          ...ofCollection(current),
          fields: fields.map((field) => auditNames[field]),
          ...(fields.includes('name') ? { new_name: edited.name } : {}),
          ...(fields.includes('discoverable') ? { discoverable: edited.discoverable } : {}),
        }),
        jobs: needed,
      };
    });
    return { collection, changed };
  };

/**
 * Deletes a collection with its document, grants and embedding. Throws `precondition_failed` as `updateCollection`
 * does.
 */
export const removeCollection =
  (ports: WritingNeeds) =>
  async (authority: AdminAuthority, id: CollectionId, isExpected: Precondition = always): Promise<void> => {
    const job = collectionJob(ports, 'embed', id);
    await ports.collections.remove(id, (current) => {
      checkPrecondition(isExpected, current);
      return {
        ...auditEffects(ports, authority, { action: 'collection.delete', ...ofCollection(current) }),
        jobs: [job],
      };
    });
  };

const always: Precondition = () => true;

const checkPrecondition = (isExpected: Precondition, current: Collection): void => {
  if (!isExpected(current)) throw new PorticoError('precondition_failed');
};

const embeddingJobs = (ports: WritingNeeds, id: CollectionId): readonly NewJob[] => [
  collectionJob(ports, 'embed', id),
  collectionJob(ports, 'operations', id),
];

const factsOf = ({ baseUrl, authentication, digest }: ReadDocument) => ({
  baseUrl,
  derivedAuthentication: authentication,
  documentDigest: digest,
});

/** Returns the collection with the edit applied, and nothing else changed. */
export const applyEdit = (cipher: Ports['cipher'], current: Collection, edit: CollectionEdit): Collection => ({
  ...current,
  name: edit.name ?? current.name,
  ...nextDescription(current, edit.description, edit.document),
  storedAuthentication: nextAuthentication(cipher, current.id, current.storedAuthentication, edit.authentication),
  discoverable: edit.discoverable ?? current.discoverable,
  ...(edit.document ? factsOf(edit.document) : {}),
});

/** The names that audit entries use for the parts of a collection that can change. */
const auditNames = {
  name: 'name',
  description: 'description',
  descriptionDerived: 'description_derived',
  storedAuthentication: 'authentication',
  discoverable: 'discoverable',
  documentDigest: 'openapi_spec',
} as const;
const editable = Object.keys(auditNames) as readonly (keyof typeof auditNames)[];

/** Returns the parts that differ; if there are none, nothing is written. */
export const changedFields = (before: Collection, after: Collection) =>
  editable.filter((field) => before[field] !== after[field]);

/** Throws `SchemaViolationError` if violations are not accepted and the document has any. */
export const rejectViolations = ({ strictDocuments }: Settings, strict: boolean, { warnings }: ReadDocument): void => {
  if ((strict || strictDocuments) && warnings.total > 0) throw new SchemaViolationError(warnings);
};
