import { createCallerQueue } from '../../access/caller-queue.ts';
import { isNarrow } from '../../access/operation-rule.ts';
import { type Principal, requireReadableTarget, rulesOf, visibilityOf } from '../../access/principal.ts';
import type { Collection, CollectionHead, ListedCollection } from '../../collections/collection.ts';
import type { PackedText } from '../../documents/document.ts';
import { PorticoError } from '../../errors.ts';
import type { ListPage } from '../../ports/collection-store.ts';
import { valueHintOf } from '../../operations/credentials.ts';
import type { Ports } from '../../ports/index.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import { collectionFieldsOf, createSystemEntry } from '../audit/system-entry.ts';
import { type EffectiveAuthentication, openAuthentication } from './authentication.ts';
import { openCredentialFor } from './credentials.ts';

/** How many times in a row a document may be replaced while it is being read. */
const readAttemptsMax = 10;

export interface CollectionWithDocument {
  readonly collection: CollectionHead;
  readonly document: PackedText;
}

/**
 * Returns a collection that was just read, with its document. If the collection changed in between, both are from after
 * the change. Throws `collection_not_found` if the collection no longer exists.
 */
export const readDocument =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async (collection: CollectionHead): Promise<CollectionWithDocument> => {
    let current: CollectionHead | null = collection;
    for (let attempt = 0; attempt < readAttemptsMax; attempt++) {
      const storedDocument = await collections.findDocument(current.id);
      if (storedDocument?.digest === current.documentDigest)
        return { collection: current, document: storedDocument.packed };
      current = await collections.find(current.id);
      if (!current) throw new PorticoError('collection_not_found');
    }
    throw new Error(`The document of collection ${collection.id} did not match its digest in ${readAttemptsMax} reads`);
  };

/**
 * Returns the document of a collection as it was sent: if it was converted, the text before that. Throws
 * `collection_not_found` if the collection no longer exists.
 */
export const readOriginal = (ports: Pick<Ports, 'collections'>) => {
  const read = readDocument(ports);
  return async (collection: CollectionHead): Promise<{ readonly digest: string; readonly document: PackedText }> => {
    const original = await ports.collections.findOriginal(collection.id);
    if (original) return { digest: original.digest, document: original.packed };
    const { collection: current, document } = await read(collection);
    return { digest: current.documentDigest, document };
  };
};

/**
 * Returns the document that the request is about as YAML, with the digest of the text that it was converted from.
 * Callers are queued (`createCallerQueue`).
 */
export const readYaml = (ports: Pick<Ports, 'collections' | 'documents'>) => {
  const read = readDocument(ports);
  const enqueue = createCallerQueue();
  return (principal: Principal): Promise<{ readonly digest: string; readonly yaml: PackedText }> =>
    enqueue(principal, async () => {
      const { document, collection } = await read(requireReadableTarget(principal));
      const yaml = await ports.documents.convertToYaml(document, principal.deadline);
      return { digest: collection.documentDigest, yaml };
    });
};

export interface CollectionMetadata {
  readonly collection: Collection;
  readonly authentication: EffectiveAuthentication;
  /** Why the stored credential is not shown, and what to do; null if it is shown, or if there is none. */
  readonly withheldHint: string | null;
}

type MetadataPorts = Pick<Ports, 'clock' | 'random' | 'audit' | 'cipher'> & WithUsageCounter;

/**
 * Returns the data that a caller needs to call the collection's API. Audits the reading of a stored credential before
 * it returns.
 */
export const readMetadata =
  (ports: MetadataPorts) =>
  async (principal: Principal<Collection>): Promise<CollectionMetadata> => {
    const collection = requireReadableTarget(principal);
    const isWithheld = isCredentialWithheld(principal, collection);
    const authentication = isWithheld ? withoutCredential(collection) : openAuthentication(ports.cipher, collection);
    if (authentication.value !== null) await recordCredentialRead(ports, principal, collection, null);
    ports.uses.count(principal, 'read', collection.id);
    return { collection, authentication, withheldHint: isWithheld ? withheldHintOf(collection) : null };
  };

/**
 * Whether the caller may not read the collection's credentials: no one may under the delivery `call`, and no client whose
 * rules are narrow (`isNarrow`), because the credential would bypass them.
 */
export const isCredentialWithheld = (
  principal: Pick<Principal, 'profile' | 'rules'>,
  { delivery }: Collection,
): boolean => delivery === 'call' || isNarrow(rulesOf(principal));

const withoutCredential = ({ storedAuthentication, derivedAuthentication }: Collection): EffectiveAuthentication => {
  const { type, name, in: place } = storedAuthentication ?? derivedAuthentication;
  return { type, name, in: place, value: null };
};

/** Returns why the credential is not shown; null if there is none. */
const withheldHintOf = ({ delivery, storedAuthentication }: Collection): string | null => {
  if (delivery === 'call') return deliveryHint;
  return storedAuthentication?.sealedValue == null ? null : narrowHint;
};

/**
 * Returns how calls authenticate by one security scheme of the document, with the credential that is stored for
 * everyone; null means the scheme of `readMetadata`. The secret of an OAuth client is not sent in calls, and is not
 * returned. Audits the reading of a credential before it returns. Throws `scheme_not_found`, and `credential_withheld` if
 * the caller may not read the credential.
 */
export const readCredential =
  (ports: MetadataPorts & Pick<Ports, 'collections' | 'credentials' | 'documents'>) =>
  async (
    principal: Principal<Collection>,
    schemeName: string | null,
  ): Promise<Omit<CollectionMetadata, 'withheldHint'>> => {
    const collection = requireReadableTarget(principal);
    if (isCredentialWithheld(principal, collection)) throw new PorticoError('credential_withheld');
    const authentication =
      schemeName === null
        ? openAuthentication(ports.cipher, collection)
        : await openCredentialFor(ports, collection, schemeName, principal.deadline);
    if (authentication.value !== null) await recordCredentialRead(ports, principal, collection, schemeName);
    ports.uses.count(principal, 'read', collection.id);
    return { collection, authentication };
  };

/** `scheme` is null for the credential of the collection's `authentication`. */
const recordCredentialRead = async (
  ports: Pick<MetadataPorts, 'clock' | 'random' | 'audit' | 'uses'>,
  principal: Principal<Collection>,
  collection: Collection,
  scheme: string | null,
): Promise<void> => {
  const message = {
    action: 'collection.credential_read' as const,
    ...collectionFieldsOf(collection),
    ...(scheme === null ? {} : { scheme }),
    via: principal.via,
  };
  await ports.audit.append(createSystemEntry(ports, principal.profile, message), principal.deadline);
  ports.uses.count(principal, 'credential_read', collection.id);
};

/** The parts of the metadata that explain to developers how to call the API. */
export interface MetadataHints {
  /** Whether all operations of the document are deprecated. */
  readonly deprecated: boolean;
  /** A description of the value to insert as the credential; null if no credential is needed. */
  readonly valueHint: string | null;
}

export const readMetadataHints =
  ({ operations }: Pick<Ports, 'operations'>) =>
  async ({ collection, authentication, withheldHint }: CollectionMetadata): Promise<MetadataHints> => ({
    deprecated: await operations.areAllDeprecated(collection.id),
    valueHint: withheldHint ?? valueHintOf(authentication, collection.name),
  });

/** The hint for a caller with narrow rules. */
const deliveryHint =
  'not shown: POST /api/collections/{id}/operations/{key}/call, or the tool call_operation, sends calls with the credential';

const narrowHint =
  'not shown, because your grant limits the operations that you may call: call them through this catalog, which adds ' +
  'the credential';

/**
 * Returns all collections that the caller may see, or one page of them, sorted by name; if `containing` is given, only
 * those whose name contains it, and if `tag` is given, only those with this tag.
 */
export const listCollections =
  ({ collections }: Pick<Ports, 'collections'>) =>
  (
    principal: Principal,
    page: ListPage | null,
    containing: string | null = null,
    tag: string | null = null,
  ): Promise<readonly ListedCollection[]> =>
    collections.list(visibilityOf(principal), page, containing, tag);

/** Returns the number of these collections across all pages. */
export const countCollections =
  ({ collections }: Pick<Ports, 'collections'>) =>
  (principal: Principal, containing: string | null, tag: string | null = null): Promise<number> =>
    collections.count(visibilityOf(principal), containing, tag);
