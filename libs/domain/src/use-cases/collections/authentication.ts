import type {
  ApiKeyPlace,
  AuthenticationScheme,
  AuthenticationType,
  Collection,
  StoredAuthentication,
} from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** How an admin says that calls to the API authenticate. */
export type AuthenticationInput =
  /** Drops a stored credential. */
  | { readonly type: 'none' }
  /** Sent in a header if no place is named. */
  | (WithCredential & { readonly type: 'apiKey'; readonly name: string; readonly in: ApiKeyPlace | null })
  /** Sent as `Authorization` if no other name is given. */
  | (WithCredential & { readonly type: 'bearer' | 'basic'; readonly name: string | null });

interface WithCredential {
  /** In clear; undefined keeps a stored one. */
  readonly value: string | undefined;
}

/** What a caller needs to authenticate against the collection's API. */
export interface EffectiveAuthentication {
  readonly type: AuthenticationType;
  readonly name: string | null;
  /** The credential in clear; null if an admin set none. */
  readonly value: string | null;
  readonly in: ApiKeyPlace | null;
}

/**
 * Returns what to store in place of `current`: `current` itself if nothing changes, so that nothing is written.
 * Undefined keeps it, null removes it.
 */
export const nextAuthentication = (
  cipher: Ports['cipher'],
  id: CollectionId,
  current: StoredAuthentication | null,
  input: AuthenticationInput | null | undefined,
): StoredAuthentication | null => {
  if (input === undefined) return current;
  if (input === null) return null;
  const next = { ...schemeOf(input), sealedValue: sealedValueOf(cipher, id, current, input) };
  return current && sameAuthentication(current, next) ? current : next;
};

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
  const kept = current?.sealedValue ?? null;
  const { value } = input;
  if (value === undefined || (kept !== null && value === cipher.open(kept, sealingContext(id)))) return kept;
  return cipher.seal(value, sealingContext(id));
};

/** The stored authentication with its credential opened, else the document's, which has none. */
export const effectiveAuthentication = (cipher: Ports['cipher'], collection: Collection): EffectiveAuthentication => {
  const { id, storedAuthentication: stored, derivedAuthentication } = collection;
  if (!stored) return { ...derivedAuthentication, value: null };
  const { type, name, in: place, sealedValue } = stored;
  return { type, name, in: place, value: sealedValue === null ? null : cipher.open(sealedValue, sealingContext(id)) };
};

/** The stored authentication, resealed with the current key; null if nothing needs resealing. */
export const resealedAuthentication = (
  cipher: Ports['cipher'],
  { id, storedAuthentication: stored }: Collection,
): StoredAuthentication | null => {
  if (!stored || stored.sealedValue === null || cipher.isCurrent(stored.sealedValue)) return null;
  const context = sealingContext(id);
  return { ...stored, sealedValue: cipher.seal(cipher.open(stored.sealedValue, context), context) };
};

const sealingContext = (id: CollectionId): string => `collection:${id}:authentication`;

const sameAuthentication = (a: StoredAuthentication, b: StoredAuthentication): boolean =>
  a.type === b.type && a.name === b.name && a.in === b.in && a.sealedValue === b.sealedValue;
