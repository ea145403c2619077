import type { CredentialId, GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** The parts of a secret that a credential consists of: one text, a name and a password, or an OAuth client. */
export type CredentialKind = 'value' | 'basic' | 'client';

/** A credential for one security scheme of a collection's document. */
export interface StoredCredential {
  readonly id: CredentialId;
  /** The name of the scheme in the document. */
  readonly scheme: string;
  readonly kind: CredentialKind;
  /** The credential, sealed by the `Cipher` for this collection, scheme and subject alone. */
  readonly sealed: string;
  /**
   * The origins of the addresses that the collection had when the credential was set (`originsOf`): calls send it
   * nowhere else. Null if none were recorded.
   */
  readonly origins: readonly string[] | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The group or profile whose calls use a credential; every other credential is for everyone. */
export type CredentialSubject =
  { readonly kind: 'group'; readonly id: GroupId } | { readonly kind: 'profile'; readonly id: ProfileId };

/** A subject with its current name. */
export type NamedSubject =
  | { readonly kind: 'group'; readonly id: GroupId; readonly name: string }
  | { readonly kind: 'profile'; readonly id: ProfileId; readonly email: string };

/** A credential for a group or a profile. */
export interface SubjectCredential extends StoredCredential {
  readonly subject: NamedSubject;
}

/** A credential that a profile's calls may use; the subject is null for one for everyone. */
export interface UsableCredential extends StoredCredential {
  readonly subject: NamedSubject | null;
}
