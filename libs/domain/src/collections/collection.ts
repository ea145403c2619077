import type { CollectionId, GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { ChangePolicy } from './change-policy.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * How a credential is sent. In a scheme derived from a document, `none` also covers mutual TLS and other HTTP schemes
 * (specification, section 4).
 */
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

/** The authentication scheme that an admin set to override the document's. */
export interface StoredAuthentication extends AuthenticationScheme {
  /** The credential, sealed by the `Cipher` for this collection alone; null if none was set. */
  readonly sealedValue: string | null;
  /** As in `StoredCredential`; null if there is no credential. */
  readonly origins: readonly string[] | null;
}

/** Values of server variables by their names. */
export type ServerVariables = Readonly<Record<string, string>>;

/**
 * How clients use the credentials of a collection (extensions, section 7): `reveal` shows them the credential for
 * everyone; under `call`, no one reads any, and calls are sent by the service.
 */
export type Delivery = 'reveal' | 'call';

export const deliveries = ['reveal', 'call'] as const satisfies readonly Delivery[];

/** The document as sent, if it is neither OpenAPI 3.0 nor 3.1 (extensions, section 1). */
export interface OriginalDocument {
  /** Swagger 2.0 is converted to OpenAPI 3.0; OpenAPI 3.2 is stored as sent and read as 3.1. */
  readonly version: string;
  /** SHA-256 of the text as sent, in hexadecimal. */
  readonly digest: string;
}

/** Whether the document is stored in a converted form. */
export const isConverted = ({ version }: OriginalDocument): boolean => version.startsWith('2.');

/**
 * The parts of a collection that responses contain besides its document, and the parts that distinguish its versions: a
 * few hundred bytes.
 */
export interface CollectionHead {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** The profile that created the collection; kept when that profile is deleted (specification, section 3). */
  readonly createdBy: ProfileId;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Increases by one with each change; resealing a credential does not count as a change. */
  readonly revision: number;
  /** SHA-256 of the document's text, in hexadecimal; `CollectionStore.findDocument` returns it with the text. */
  readonly documentDigest: string;
  /** Null if the document was sent as OpenAPI 3.0 or 3.1. */
  readonly original: OriginalDocument | null;
  readonly lifecycle: Lifecycle;
  /** In the order that was set; unique, ignoring case. */
  readonly tags: readonly string[];
}

/** A collection without its document. */
export interface Collection extends CollectionHead {
  /** Increases by one with each change to the name or description, which the embedding is created from. */
  readonly contentRevision: number;
  /**
   * Whether the description is derived from the document's text, and is updated with the document, because no
   * description was written (extensions, section 1). May be true for an empty description.
   */
  readonly descriptionDerived: boolean;
  /** The base URL from the document; `/` if it has none. A relative URL remains relative (specification, section 4). */
  readonly baseUrl: string;
  /** The authentication scheme derived from the document. */
  readonly derivedAuthentication: AuthenticationScheme;
  /** Null if `derivedAuthentication` applies. */
  readonly storedAuthentication: StoredAuthentication | null;
  /**
   * The base URL that an admin set, which replaces the document's servers (extensions, section 1); null if none is set.
   * It never changes `baseUrl`.
   */
  readonly baseUrlSetting: string | null;
  /** The values of server variables that an admin set, by their names. */
  readonly serverVariables: ServerVariables;
  /**
   * The security schemes for which `CredentialStore` has a credential for everyone, by name, in code point order. The document may no
   * longer have them. Does not include the scheme of `storedAuthentication`.
   */
  readonly credentialSchemes: readonly string[];
  readonly delivery: Delivery;
  /** Whether clients with a grant may store credentials of their own. */
  readonly ownCredentials: boolean;
  /** Whether approved profiles without a grant see the collection's name and description, and may request access. */
  readonly discoverable: boolean;
  /** The source that the collection was imported from, so that a later import updates it; unique unless null. */
  readonly importKey: string | null;
  /** The group whose members may decide about this collection; null if only administrators may. */
  readonly ownerGroup: GroupId | null;
  readonly changePolicy: ChangePolicy;
}

/** A collection in a list. */
export type ListedCollection = Pick<
  CollectionHead,
  'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'lifecycle' | 'tags'
>;

/** Which collections a caller may see. */
export type Visibility =
  | { readonly scope: 'all' }
  /** The collections that the profile, or one of its groups, has a live grant for at that time. */
  | { readonly scope: 'granted'; readonly profileId: ProfileId; readonly now: Instant }
  | { readonly scope: 'none' };

/** Returns the key that lists are sorted by: the name, ignoring case. */
export const toNameKey = (name: string): string => name.normalize('NFC').toLowerCase();
