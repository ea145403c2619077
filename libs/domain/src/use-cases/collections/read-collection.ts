import { type Principal, readableTarget, visibilityOf } from '../../access/principal.ts';
import type { Collection, CollectionHead, ListedCollection } from '../../collections/collection.ts';
import type { PackedText } from '../../documents/document.ts';
import { PorticoError } from '../../errors.ts';
import type { ListPage } from '../../ports/collection-store.ts';
import type { Ports } from '../../ports/index.ts';
import { ofCollection, systemEntry } from '../audit/system-entry.ts';
import { type EffectiveAuthentication, effectiveAuthentication } from './authentication.ts';

/** So often in a row a document may be replaced while it is read. */
const readAttemptsMax = 10;

export interface CollectionWithDocument {
  readonly collection: CollectionHead;
  readonly document: PackedText;
}

/**
 * A collection that was just read, with its document. Where it was changed in between, both are of after the change; where it is
 * gone by now, `collection_not_found` is thrown.
 */
export const readDocument =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async (collection: CollectionHead): Promise<CollectionWithDocument> => {
    let current: CollectionHead | null = collection;
    for (let attempt = 0; attempt < readAttemptsMax; attempt++) {
      const found = await collections.document(current.id);
      if (found?.digest === current.documentDigest) return { collection: current, document: found.packed };
      current = await collections.find(current.id);
      if (!current) throw new PorticoError('collection_not_found');
    }
    throw new Error(`The collection ${collection.id} and its document do not agree`);
  };

export interface CollectionMetadata {
  readonly collection: Collection;
  readonly authentication: EffectiveAuthentication;
}

/** What a caller needs to call the collection's API. The reading of a stored credential is on record before it is answered. */
export const readMetadata =
  (ports: Pick<Ports, 'clock' | 'random' | 'audit' | 'cipher'>) =>
  async (principal: Principal<Collection>): Promise<CollectionMetadata> => {
    const collection = readableTarget(principal);
    const authentication = effectiveAuthentication(ports.cipher, collection);
    if (authentication.value !== null) {
      const message = { action: 'collection.credential_read', ...ofCollection(collection), via: principal.via };
      await ports.audit.append(systemEntry(ports, principal.profile, message), principal.deadline);
    }
    return { collection, authentication };
  };

/** What the caller may see, whole or one page of it, by name. */
export const listCollections =
  ({ collections }: Pick<Ports, 'collections'>) =>
  (principal: Principal, page: ListPage | null): Promise<readonly ListedCollection[]> =>
    collections.list(visibilityOf(principal), page);
