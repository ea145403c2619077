import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** If derived from a document, `none` also includes mutual TLS and other HTTP schemes (specification, section 4). */
export type AuthenticationType = 'apiKey' | 'bearer' | 'basic' | 'none';

export type ApiKeyLocation = 'header' | 'query' | 'cookie';

/** How calls to a collection's API authenticate, without the credential itself. */
export interface AuthenticationScheme {
  readonly type: AuthenticationType;
  /** The header, parameter or cookie that carries the credential; null for `none`. */
  readonly name: string | null;
  /** Null unless the type is `apiKey`. */
  readonly in: ApiKeyLocation | null;
}

/** The authentication that an admin set to override the document's. */
export interface StoredAuthentication extends AuthenticationScheme {
  /** The credential, sealed by the `Cipher` for this collection alone; null if none was set. */
  readonly sealedValue: string | null;
}

/**
 * The parts of a collection in responses besides its document, and those that distinguish its versions: a few hundred
 * bytes.
 */
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
   * Whether the description is derived from the document's text, and follows the document, because none was written
   * (extensions, section 1). May be true for an empty one.
   */
  readonly descriptionDerived: boolean;
  /** From the document; `/` if it has none, and a relative one stays relative (specification, section 4). */
  readonly baseUrl: string;
  /** From the document. */
  readonly derivedAuthentication: AuthenticationScheme;
  /** Null if the derived one applies. */
  readonly storedAuthentication: StoredAuthentication | null;
  /** Whether approved profiles without a grant see its name and description, and may request access. */
  readonly discoverable: boolean;
  /** The source that it was imported from, so that a later import updates it; unique unless null. */
  readonly importKey: string | null;
}

/** A collection in a list. */
export type ListedCollection = Pick<CollectionHead, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

/** Which collections a caller may see. */
export type Visibility =
  | { readonly of: 'all' }
  /** Collections with a live grant, the profile's own or of its groups, at that time. */
  | { readonly of: 'granted'; readonly to: ProfileId; readonly at: Instant }
  | { readonly of: 'nothing' };

/** Returns the sort key of lists: the name, ignoring case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();
