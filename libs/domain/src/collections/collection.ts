import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Derived from a document, `none` also stands for mutual TLS and other HTTP schemes (specification, section 4). */
export type AuthenticationType = 'apiKey' | 'bearer' | 'basic' | 'none';

export type ApiKeyPlace = 'header' | 'query' | 'cookie';

/** How calls to a collection's API authenticate, without the credential itself. */
export interface AuthenticationScheme {
  readonly type: AuthenticationType;
  /** The header, parameter or cookie that carries the credential; null for `none`. */
  readonly name: string | null;
  /** Null unless the type is `apiKey`. */
  readonly in: ApiKeyPlace | null;
}

/** What an admin set to override the document. */
export interface StoredAuthentication extends AuthenticationScheme {
  /** The credential, sealed by the `Cipher` for this collection alone; null if none was set. */
  readonly sealedValue: string | null;
}

/** What answers show of a collection besides its document, and what tells its versions apart: a few hundred bytes. */
export interface CollectionHead {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** It stays when the profile is deleted (specification, section 3). */
  readonly createdBy: ProfileId;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Grows by one with each change; resealing a credential is not one. */
  readonly revision: number;
  /** SHA-256 of the document's text, in hexadecimal; `CollectionStore.document` returns it with the text. */
  readonly documentDigest: string;
}

/** A collection without its document. */
export interface Collection extends CollectionHead {
  /** Grows by one with each change of name or description, from which the embedding is made. */
  readonly contentRevision: number;
  /**
   * Whether nobody wrote the description: it is made of the document's words, and follows the document (extensions,
   * section 1). May be true of an empty one.
   */
  readonly descriptionDerived: boolean;
  /** From the document; `/` if it names none, and a relative one stays relative (specification, section 4). */
  readonly baseUrl: string;
  /** From the document. */
  readonly derivedAuthentication: AuthenticationScheme;
  /** Null if the derived one applies. */
  readonly storedAuthentication: StoredAuthentication | null;
  /** Whether approved profiles without a grant see its name and description, and may ask for access. */
  readonly discoverable: boolean;
  /** Where it was imported from, so that a later import updates it; unique unless null. */
  readonly importKey: string | null;
}

/** One line of a list. */
export type ListedCollection = Pick<CollectionHead, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

/** Which collections a caller may see. */
export type Visibility =
  | { readonly of: 'all' }
  /** What the profile's own grants and those of its groups give at that moment. */
  | { readonly of: 'granted'; readonly to: ProfileId; readonly at: Instant }
  | { readonly of: 'nothing' };

/** The sort key of lists: the name without regard to case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();
