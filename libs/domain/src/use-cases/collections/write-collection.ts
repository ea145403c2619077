import type { AdminAuthority } from '../../access/principal.ts';
import type { Comparison } from '../../changes/change.ts';
import { createRevision } from '../../changes/revision.ts';
import { emptyChangePolicy } from '../../collections/change-policy.ts';
import type { Collection, CollectionHead, ServerVariables } from '../../collections/collection.ts';
import { activeLifecycle } from '../../collections/lifecycle.ts';
import type { ReadDocument } from '../../documents/document.ts';
import type { NewJob } from '../../jobs/job.ts';
import { isVersion32 } from '../../documents/document-error.ts';
import { SchemaViolationError } from '../../documents/schema-violation-error.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { collectionFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { prepareDocumentEvents } from '../webhooks/document-events.ts';
import { createCollectionJob } from '../search/collection-jobs.ts';
import { type AuthenticationInput, setsValue, updateAuthentication } from './authentication.ts';
import { compareEdit, hasSameOriginal, type EditComparison } from './compare-edit.ts';
import { updateDescription } from './description.ts';
import { type DocumentState, hasState, serverSettingsOf } from './document-security.ts';

export interface NewCollection {
  readonly name: string;
  readonly description: string;
  /** Whether the description is derived from the document; false by default. */
  readonly descriptionDerived?: boolean;
  /** Null to use the document's authentication. */
  readonly authentication: AuthenticationInput | null;
  /** Whether profiles without a grant can find the collection and request access; false by default. */
  readonly discoverable?: boolean | undefined;
  /** Null, the default, to use the document's servers. */
  readonly baseUrl?: string | null | undefined;
  /** None by default. */
  readonly serverVariables?: ServerVariables | null | undefined;
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
  /** Null removes the base URL set by an admin, so that the document's servers apply again. */
  readonly baseUrl?: string | null | undefined;
  /** Replaces all variables; null removes them. */
  readonly serverVariables?: ServerVariables | null | undefined;
  readonly document?: ReadDocument | undefined;
  readonly strict: boolean;
  /** The import key of the document; null by default. */
  readonly origin?: string | null;
  /**
   * Whether OpenAPI 3.2 is accepted for any collection; by default, only for one that already holds such a document.
   */
  readonly acceptsVersion32?: boolean;
}

/** A condition on the current collection for a change; it is checked in the transaction of the change. */
export type Precondition = (current: CollectionHead) => boolean;

export type WritingPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'cipher' | 'documents' | 'webhooks'>;

/** Adds a collection. It is embedded later, in the background. */
export const createCollection =
  (ports: WritingPorts, settings: Settings) =>
  async (authority: AdminAuthority, createdBy: ProfileId, input: NewCollection): Promise<Collection> => {
    const { name, description, document } = input;
    rejectViolations(settings, input.strict, document);
    const id = ports.random.uuid() as CollectionId;
    const now = ports.clock.now();
    const serverSettings = { baseUrl: input.baseUrl ?? null, serverVariables: input.serverVariables ?? {} };
    const origins = setsValue(input.authentication)
      ? await ports.documents.readOrigins(document.packed, serverSettings, authority.deadline)
      : null;
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
      storedAuthentication: updateAuthentication(ports.cipher, id, null, input.authentication, origins),
      discoverable: input.discoverable ?? false,
      baseUrlSetting: serverSettings.baseUrl,
      serverVariables: serverSettings.serverVariables,
      credentialSchemes: [],
      delivery: 'reveal',
      ownCredentials: false,
      importKey: input.importKey ?? null,
      lifecycle: activeLifecycle,
      ownerGroup: null,
      tags: [],
      changePolicy: emptyChangePolicy,
      ...documentFieldsOf(document),
    };
    const jobs = createEmbeddingJobs(ports, id);
    const effects = createAuditEffects(ports, authority, {
      action: 'collection.create',
      ...collectionFieldsOf(collection),
      ...(collection.descriptionDerived ? { description_derived: true } : {}),
      ...(collection.discoverable ? { discoverable: true } : {}),
      ...(collection.baseUrlSetting === null ? {} : { base_url: collection.baseUrlSetting }),
    });
    const revision = createRevision(authority.actor, collection.importKey, null);
    await ports.collections.add(collection, { ...document, revision }, { ...effects, jobs });
    return collection;
  };

export interface UpdatedCollection {
  readonly collection: Collection;
  /** False if nothing was written; in that case, `updatedAt` is unchanged. */
  readonly hasChanged: boolean;
  /** Null if the document has not changed. */
  readonly documentChange: DocumentChange | null;
}

export interface DocumentChange {
  /** Null if the changes are unknown. */
  readonly comparison: Comparison | null;
}

/**
 * Changes a collection; writes nothing if nothing changes. After a change of the name or description, the collection is
 * embedded again; after such a change or a new document, its operations are also embedded again. A derived description
 * is updated with the document. Throws `precondition_failed`, and changes nothing, if the current collection does not
 * meet the caller's precondition.
 */
export const updateCollection =
  (ports: WritingPorts, settings: Settings) =>
  async (
    authority: AdminAuthority,
    id: CollectionId,
    edit: CollectionEdit,
    isExpected: Precondition = acceptAny,
  ): Promise<UpdatedCollection> => {
    if (edit.document) rejectViolations(settings, edit.strict, edit.document);
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const newOrigins = await readNewOrigins(ports, authority.deadline, id, edit);
      const newComparison = await compareEdit(ports, authority.deadline, id, edit.document);
      const result = await tryUpdate(ports, authority, id, { edit, isExpected, newOrigins, newComparison });
      if (result) return result;
    }
    throw new Error(`Collection ${id} changed ${attemptsMax} times while its document was read`);
  };

/** How many times in a row a collection may change while its document is read. */
const attemptsMax = 10;

/** The origins of the addresses after an edit. */
interface NewOrigins extends Pick<DocumentState, 'digest' | 'settings'> {
  readonly origins: readonly string[];
}

/** Returns the origins that the credential in an edit is bound to; null if it contains none. */
const readNewOrigins = async (
  ports: WritingPorts,
  deadline: AdminAuthority['deadline'],
  id: CollectionId,
  edit: CollectionEdit,
): Promise<NewOrigins | null> => {
  if (!setsValue(edit.authentication)) return null;
  const current = await ports.collections.find(id);
  if (!current) throw new PorticoError('collection_not_found');
  const editedCollection = applyEdit(ports.cipher, current, edit);
  const settings = serverSettingsOf(editedCollection);
  const isNew = edit.document?.digest === editedCollection.documentDigest;
  const document = isNew ? edit.document : await ports.collections.findDocument(id);
  if (!document) throw new PorticoError('collection_not_found');
  const origins = await ports.documents.readOrigins(document.packed, settings, deadline);
  return { digest: document.digest, settings, origins };
};

/** A change, and the results of reading the documents for it. */
interface PreparedEdit {
  readonly edit: CollectionEdit;
  readonly isExpected: Precondition;
  readonly newOrigins: NewOrigins | null;
  readonly newComparison: EditComparison | null;
}

/** Makes the change; null if the collection is no longer the one that was read, and nothing was written. */
const tryUpdate = async (
  ports: WritingPorts,
  authority: AdminAuthority,
  id: CollectionId,
  { edit, isExpected, newOrigins, newComparison }: PreparedEdit,
): Promise<UpdatedCollection | null> => {
  const jobs = createEmbeddingJobs(ports, id);
  const createEventJobs = await prepareDocumentEvents(ports, newComparison?.comparison ?? null);
  const now = ports.clock.now();
  const result = { hasChanged: false, isCurrent: true, hasNewDocument: false };
  const revision = createRevision(authority.actor, edit.origin ?? null, newComparison?.comparison ?? null);
  const collection = await ports.collections.update(id, (current) => {
    checkPrecondition(isExpected, current);
    rejectVersion32(current, edit);
    const editedCollection = applyEdit(ports.cipher, current, edit, newOrigins?.origins);
    const fields = listChangedFields(current, editedCollection);
    const hasNewDocument = fields.includes('documentDigest');
    result.isCurrent =
      (newOrigins === null || hasState(editedCollection, newOrigins)) &&
      (!hasNewDocument || newComparison?.from === current.documentDigest);
    result.hasChanged = result.isCurrent && fields.length > 0;
    result.hasNewDocument = result.isCurrent && hasNewDocument;
    if (!result.hasChanged) return null;
    const isReworded = fields.includes('name') || fields.includes('description');
    const fieldNames = fields.map((field) => auditNames[field]);
    return {
      collection: {
        ...editedCollection,
        revision: current.revision + 1,
        contentRevision: current.contentRevision + (isReworded ? 1 : 0),
        updatedAt: nextChangeAt(current.updatedAt, now),
      },
      ...(edit.document && hasNewDocument ? { document: { ...edit.document, revision } } : {}),
      ...createAuditEffects(ports, authority, {
        action: 'collection.update',
        ...collectionFieldsOf(current),
        fields: fieldNames,
        ...(fields.includes('name') ? { new_name: editedCollection.name } : {}),
        ...(fields.includes('discoverable') ? { discoverable: editedCollection.discoverable } : {}),
        ...(fields.includes('baseUrlSetting') ? { base_url: editedCollection.baseUrlSetting } : {}),
      }),
      jobs: [
        ...jobs.filter(({ task }) => isReworded || (task.kind === 'operations' && hasNewDocument)),
        ...createEventJobs(editedCollection, fieldNames, authority),
      ],
    };
  });
  if (!result.isCurrent) return null;
  const documentChange = result.hasNewDocument ? { comparison: newComparison?.comparison ?? null } : null;
  return { collection, hasChanged: result.hasChanged, documentChange };
};

/**
 * Deletes a collection with its document, grants and embedding. Throws `precondition_failed` as `updateCollection`
 * does.
 */
export const removeCollection =
  (ports: WritingPorts) =>
  async (authority: AdminAuthority, id: CollectionId, isExpected: Precondition = acceptAny): Promise<void> => {
    const job = createCollectionJob(ports, 'embed', id);
    await ports.collections.remove(id, (current) => {
      checkPrecondition(isExpected, current);
      return {
        ...createAuditEffects(ports, authority, { action: 'collection.delete', ...collectionFieldsOf(current) }),
        jobs: [job],
      };
    });
  };

const acceptAny: Precondition = () => true;

const checkPrecondition = (isExpected: Precondition, current: Collection): void => {
  if (!isExpected(current)) throw new PorticoError('precondition_failed');
};

const createEmbeddingJobs = (ports: WritingPorts, id: CollectionId): readonly NewJob[] => [
  createCollectionJob(ports, 'embed', id),
  createCollectionJob(ports, 'operations', id),
];

/** Throws `invalid_body` for a document of OpenAPI 3.2 if the collection does not hold one (extensions, section 1). */
const rejectVersion32 = ({ original }: Collection, { document, acceptsVersion32 }: CollectionEdit): void => {
  const version = document?.original?.version ?? '';
  if (acceptsVersion32 || !isVersion32(version) || (original && isVersion32(original.version))) return;
  throw new PorticoError('invalid_body', {
    reason: `the document is of OpenAPI ${version}: import it, or send one of version 3.0.x or 3.1.x`,
  });
};

const documentFieldsOf = ({ baseUrl, authentication, digest, original }: ReadDocument) => ({
  baseUrl,
  derivedAuthentication: authentication,
  documentDigest: digest,
  original: original && { version: original.version, digest: original.digest },
});

/** Returns the collection with the edit applied, and nothing else changed. A new credential is bound to the origins. */
export const applyEdit = (
  cipher: Ports['cipher'],
  current: Collection,
  edit: CollectionEdit,
  origins: readonly string[] | null = null,
): Collection => ({
  ...current,
  name: edit.name ?? current.name,
  ...updateDescription(current, edit.description, edit.document),
  storedAuthentication: updateAuthentication(
    cipher,
    current.id,
    current.storedAuthentication,
    edit.authentication,
    origins,
  ),
  discoverable: edit.discoverable ?? current.discoverable,
  baseUrlSetting: edit.baseUrl === undefined ? current.baseUrlSetting : edit.baseUrl,
  serverVariables: updateVariables(current.serverVariables, edit.serverVariables),
  ...(edit.document && !hasSameOriginal(current, edit.document) ? documentFieldsOf(edit.document) : {}),
});

/** Returns the variables after an edit: `current` itself if nothing changes, so that nothing is written. */
const updateVariables = (current: ServerVariables, edited: CollectionEdit['serverVariables']): ServerVariables => {
  if (edited === undefined) return current;
  const next = edited ?? {};
  const names = Object.keys(next);
  const isSame =
    names.length === Object.keys(current).length &&
    names.every((name) => Object.hasOwn(current, name) && current[name] === next[name]);
  return isSame ? current : next;
};

/** The names that audit entries use for the parts of a collection that can change. */
const auditNames = {
  name: 'name',
  description: 'description',
  descriptionDerived: 'description_derived',
  storedAuthentication: 'authentication',
  discoverable: 'discoverable',
  baseUrlSetting: 'base_url',
  serverVariables: 'server_variables',
  documentDigest: 'openapi_spec',
} as const;
const editableFields = Object.keys(auditNames) as readonly (keyof typeof auditNames)[];

/** Returns the parts that differ; if there are none, nothing is written. */
export const listChangedFields = (before: Collection, after: Collection) =>
  editableFields.filter((field) => before[field] !== after[field]);

/** Throws `SchemaViolationError` if violations are not accepted and the document has any. */
export const rejectViolations = ({ strictDocuments }: Settings, strict: boolean, { warnings }: ReadDocument): void => {
  if ((strict || strictDocuments) && warnings.total > 0) throw new SchemaViolationError(warnings);
};
