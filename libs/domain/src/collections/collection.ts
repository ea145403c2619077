import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

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
  /** The credential, sealed by the `Cipher` for this very collection; null where none was set. */
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

/** One line of a list. */
export type ListedCollection = Pick<CollectionHead, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

/** Which collections a caller may see. */
export type Visibility =
  { readonly of: 'all' } | { readonly of: 'granted'; readonly to: ProfileId } | { readonly of: 'nothing' };

/** The key that lists are ordered by: the name without regard to case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();
