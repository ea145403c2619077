import { toBase64 } from '../../base64.ts';
import type { CredentialSubject, StoredCredential } from '../../collections/credential.ts';
import type { CollectionId, CredentialId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';

/** A credential in plain text. */
export type CredentialContent =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string };

/** Where a credential belongs; the subject is null for one for everyone. */
export interface CredentialPlace {
  readonly collectionId: CollectionId;
  readonly scheme: string;
  readonly subject: CredentialSubject | null;
}

/** Returns a new credential, sealed for its place. It keeps the id and the creation time of the one that it replaces. */
export const sealCredential = (
  { cipher, clock, random }: Pick<Ports, 'cipher' | 'clock' | 'random'>,
  place: CredentialPlace,
  content: CredentialContent,
  {
    origins,
    earlierCredential,
  }: Pick<StoredCredential, 'origins'> & {
    readonly earlierCredential: StoredCredential | null | undefined;
  },
): StoredCredential => {
  const now = clock.now();
  return {
    id: earlierCredential?.id ?? (random.uuid() as CredentialId),
    scheme: place.scheme,
    kind: content.kind,
    sealed: cipher.seal(JSON.stringify(content), sealingContextOf(place)),
    origins,
    createdAt: earlierCredential?.createdAt ?? now,
    updatedAt: earlierCredential ? nextChangeAt(earlierCredential.updatedAt, now) : now,
  };
};

/** Opens a sealed credential; throws if no key opens it for this place. */
export const openCredential = (cipher: Ports['cipher'], place: CredentialPlace, sealed: string): CredentialContent =>
  JSON.parse(cipher.open(sealed, sealingContextOf(place))) as CredentialContent;

/** Returns the sealed text, resealed with the current key; null if it does not need resealing. */
export const resealCredential = (cipher: Ports['cipher'], place: CredentialPlace, sealed: string): string | null => {
  if (cipher.isCurrent(sealed)) return null;
  const context = sealingContextOf(place);
  return cipher.seal(cipher.open(sealed, context), context);
};

/** Ids have a fixed form, and the name of the scheme is last: no two places have the same context. */
const sealingContextOf = ({ collectionId, scheme, subject }: CredentialPlace): string =>
  `collection:${collectionId}:${subject ? `${subject.kind}:${subject.id}:` : ''}credential:${scheme}`;

/** Returns a credential as one value; null if calls do not send it. */
export const toValue = (content: CredentialContent): string | null => {
  switch (content.kind) {
    case 'value':
      return content.value;
    case 'basic':
      return toBase64(`${content.username}:${content.password}`);
    case 'client':
      return null;
  }
};
