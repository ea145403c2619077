import type {
  ApiKeyLocation,
  AuthenticationScheme,
  AuthenticationType,
  Collection,
  StoredAuthentication,
} from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** An admin's configuration of how calls to the API authenticate. */
export type AuthenticationInput =
  /** Removes a stored credential. */
  | { readonly type: 'none' }
  /** An API key, sent in a header if `in` is null. */
  | (CredentialInput & { readonly type: 'apiKey'; readonly name: string; readonly in: ApiKeyLocation | null })
  /** A credential in a header, `Authorization` if `name` is null. */
  | (CredentialInput & { readonly type: 'bearer' | 'basic'; readonly name: string | null });

interface CredentialInput {
  /** The credential in plain text; undefined leaves a stored one unchanged. */
  readonly value: string | undefined;
}

/** The data that a caller needs to authenticate against the collection's API. */
export interface EffectiveAuthentication {
  readonly type: AuthenticationType;
  readonly name: string | null;
  /** The credential in plain text; null if no admin has set one. */
  readonly value: string | null;
  readonly in: ApiKeyLocation | null;
}

/**
 * Returns the value to store in place of `current`: `current` itself if nothing changes, so that nothing is written.
 * Undefined leaves the stored value unchanged; null removes it. A value in the input is bound to the origins, even if it
 * is the stored one; a stored one that the input leaves unchanged keeps its own.
 */
export const updateAuthentication = (
  cipher: Ports['cipher'],
  id: CollectionId,
  current: StoredAuthentication | null,
  input: AuthenticationInput | null | undefined,
  origins: readonly string[] | null,
): StoredAuthentication | null => {
  if (input === undefined) return current;
  if (input === null) return null;
  const sealedValue = sealedValueOf(cipher, id, current, input);
  const boundOrigins = setsValue(input) ? origins : (current?.origins ?? null);
  const next = { ...schemeOf(input), sealedValue, origins: sealedValue === null ? null : boundOrigins };
  return current && isSameAuthentication(current, next) ? current : next;
};

/** Whether the input contains a credential. */
export const setsValue = (input: AuthenticationInput | null | undefined): boolean =>
  input != null && input.type !== 'none' && input.value !== undefined;

const schemeOf = (input: AuthenticationInput): AuthenticationScheme => {
  const { type } = input;
  if (type === 'none') return { type, name: null, in: null };
  return type === 'apiKey'
    ? { type, name: input.name, in: input.in ?? 'header' }
    : { type, name: input.name ?? 'Authorization', in: null };
};

const sealedValueOf = (
  cipher: Ports['cipher'],
  id: CollectionId,
  current: StoredAuthentication | null,
  input: AuthenticationInput,
): string | null => {
  if (input.type === 'none') return null;
  const currentSealedValue = current?.sealedValue ?? null;
  const { value } = input;
  if (
    value === undefined ||
    (currentSealedValue !== null && value === cipher.open(currentSealedValue, sealingContextOf(id)))
  )
    return currentSealedValue;
  return cipher.seal(value, sealingContextOf(id));
};

/** Returns the stored authentication with its credential opened, or else the document's, which has no credential. */
export const openAuthentication = (cipher: Ports['cipher'], collection: Collection): EffectiveAuthentication => {
  const { id, storedAuthentication: authentication, derivedAuthentication } = collection;
  if (!authentication) return { ...derivedAuthentication, value: null };
  const { type, name, in: place, sealedValue } = authentication;
  return { type, name, in: place, value: sealedValue === null ? null : cipher.open(sealedValue, sealingContextOf(id)) };
};

/** Returns the stored authentication, resealed with the current key; null if nothing needs resealing. */
export const resealAuthentication = (
  cipher: Ports['cipher'],
  { id, storedAuthentication: authentication }: Collection,
): StoredAuthentication | null => {
  if (!authentication || authentication.sealedValue === null || cipher.isCurrent(authentication.sealedValue))
    return null;
  const context = sealingContextOf(id);
  return { ...authentication, sealedValue: cipher.seal(cipher.open(authentication.sealedValue, context), context) };
};

const sealingContextOf = (id: CollectionId): string => `collection:${id}:authentication`;

const isSameAuthentication = (a: StoredAuthentication, b: StoredAuthentication): boolean =>
  a.type === b.type &&
  a.name === b.name &&
  a.in === b.in &&
  a.sealedValue === b.sealedValue &&
  JSON.stringify(a.origins) === JSON.stringify(b.origins);
