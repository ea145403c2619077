import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

/** From a document `none` also stands for mutual TLS and other HTTP schemes (specification, section 4). */
export type AuthenticationType = 'apiKey' | 'bearer' | 'basic' | 'none';
export type ApiKeyPlace = 'header' | 'query' | 'cookie';

/** How calls to a collection's API authenticate, without the credential itself. */
export interface AuthenticationScheme {
  readonly type: AuthenticationType;
  /** Of the header, parameter or cookie that carries the credential; null for `none`. */
  readonly name: string | null;
  /** For `apiKey` alone, else null. */
  readonly in: ApiKeyPlace | null;
}

/** What an admin set in place of what the document says. */
export interface StoredAuthentication extends AuthenticationScheme {
  /** The credential, sealed by the `Vault` for this very collection; null where none was set. */
  readonly sealedValue: string | null;
}

/** What answers show of a collection beside its document, and how they are told apart: a row of some hundred bytes. */
export interface CollectionHead {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** It stays when the profile is deleted (specification, section 3). */
  readonly createdBy: ProfileId;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Grows by one with each change; a credential that is sealed anew is none. */
  readonly revision: number;
  /** SHA-256 of the document's text, in hexadecimal: names the text that `document` answers. */
  readonly documentDigest: string;
}

/** A collection without its document. */
export interface Collection extends CollectionHead {
  /** Grows by one with each change of name or description: what the embedding is made of. */
  readonly contentRevision: number;
  /** From the document: `/` where it names none; a relative one stays so (specification, section 4). */
  readonly baseUrl: string;
  /** From the document. */
  readonly derivedAuthentication: AuthenticationScheme;
  /** Null where the derived one counts. */
  readonly storedAuthentication: StoredAuthentication | null;
  /** Where it was imported from, so that a later import updates it; unique where it is not null. */
  readonly importKey: string | null;
}

/**
 * A document's text, packed for storage and for sending: a raw DEFLATE stream (RFC 1951) that ends at a byte boundary
 * by a sync flush and has no final block, so that more blocks can follow it.
 */
export interface PackedText {
  readonly deflated: Uint8Array;
  /** CRC-32 of the text (RFC 1952), an unsigned 32-bit integer. */
  readonly crc32: number;
  /** Length of the text in UTF-8, in bytes. */
  readonly bytes: number;
}

/** One line of a list. */
export type ListedCollection = Pick<CollectionHead, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

/** Which collections a caller may see. */
export type Visibility =
  { readonly of: 'all' } | { readonly of: 'granted'; readonly to: ProfileId } | { readonly of: 'nothing' };

export interface ListPage {
  readonly limit: number;
  /** The place of the last collection of the page before: its sort key and id; null for the first page. */
  readonly after: { readonly nameKey: string; readonly id: CollectionId } | null;
}

/** Collections and their documents. Every `decide` is synchronous and pure, and may run more than once. */
export interface CollectionStore {
  /** Adds a collection with its document. */
  add(collection: Collection, document: PackedText, effects: Effects): Promise<void>;

  /** The collection with that id, or null. */
  find(id: CollectionId): Promise<Collection | null>;

  /** The collection that was imported from there, or null. */
  findByImportKey(importKey: string): Promise<Collection | null>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change of the same collection.
   * Raises `collection_not_found`. Where `decide` answers null nothing is written and the collection is answered as it
   * is; where its change has no `document` the stored one stays. Answers what is stored afterwards.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
    ) => (Effects & { readonly collection: Collection; readonly document?: PackedText }) | null,
  ): Promise<Collection>;

  /** Removes the collection with its document, embedding and all grants. Raises `collection_not_found`. */
  remove(id: CollectionId, decide: (current: Collection) => Effects): Promise<void>;

  /** The document as it is now, with the digest that names it, or null where there is no such collection. */
  document(id: CollectionId): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /**
   * What is visible, ordered by `nameKey(name)` by code points, then by id; whole, or one page of it. No document is
   * read for it.
   */
  list(visibility: Visibility, page: ListPage | null): Promise<readonly ListedCollection[]>;

  /** The ids of all that is visible, in any order. */
  visibleIds(visibility: Visibility): Promise<readonly CollectionId[]>;

  /** The names of those of these collections that exist. */
  names(ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, string>>;
}

/** The key that lists are ordered by: the name without regard to case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();
