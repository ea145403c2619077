import type {
  ApiKeyPlace,
  AuthenticationType,
  Collection,
  StoredAuthentication,
} from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** How an admin says that calls to the API authenticate. */
export interface AuthenticationInput {
  readonly type: AuthenticationType;
  /** Null means `Authorization`; `apiKey` demands a name, `none` ignores it. */
  readonly name: string | null;
  /** For `apiKey` alone, where null means `header`. */
  readonly in: ApiKeyPlace | null;
  /** The credential in clear; `invalid_body` beside `none`. Without it a stored one is kept, or dropped by `none`. */
  readonly value: string | undefined;
}

/** What a caller needs to authenticate against the collection's API. */
export interface EffectiveAuthentication {
  readonly type: AuthenticationType;
  readonly name: string | null;
  /** The credential in clear; null where an admin set none. */
  readonly value: string | null;
  readonly in: ApiKeyPlace | null;
}

/**
 * What is to be stored in place of `current`: itself where nothing changes, so that nothing is written. `undefined`
 * leaves it, null removes it.
 */
export const nextAuthentication = (
  cipher: Ports['cipher'],
  id: CollectionId,
  current: StoredAuthentication | null,
  input: AuthenticationInput | null | undefined,
): StoredAuthentication | null => {
  if (input === undefined) return current;
  if (input === null) return null;
  const { type, value } = input;
  if (type === 'none' && value !== undefined) {
    throw new PorticoError('invalid_body', { because: 'authentication.value must be absent where the type is none' });
  }
  const kept = type === 'none' ? null : (current?.sealedValue ?? null);
  const openedKept = kept === null ? undefined : cipher.open(kept, sealingContext(id));
  const sealedValue = value === undefined || value === openedKept ? kept : cipher.seal(value, sealingContext(id));
  const next = { type, name: nameOf(input), in: type === 'apiKey' ? (input.in ?? 'header') : null, sealedValue };
  return current && sameAuthentication(current, next) ? current : next;
};

/** The stored authentication with its credential opened, else what the document says, which has none. */
export const effectiveAuthentication = (cipher: Ports['cipher'], collection: Collection): EffectiveAuthentication => {
  const { id, storedAuthentication: stored, derivedAuthentication } = collection;
  if (!stored) return { ...derivedAuthentication, value: null };
  const { type, name, in: place, sealedValue } = stored;
  return { type, name, in: place, value: sealedValue === null ? null : cipher.open(sealedValue, sealingContext(id)) };
};

/** The same with its credential sealed by the key that seals now; null where nothing has to be sealed anew. */
export const resealedAuthentication = (
  cipher: Ports['cipher'],
  { id, storedAuthentication: stored }: Collection,
): StoredAuthentication | null => {
  if (!stored || stored.sealedValue === null || cipher.isCurrent(stored.sealedValue)) return null;
  const context = sealingContext(id);
  return { ...stored, sealedValue: cipher.seal(cipher.open(stored.sealedValue, context), context) };
};

const sealingContext = (id: CollectionId): string => `collection:${id}:authentication`;

const nameOf = ({ type, name }: AuthenticationInput): string | null => {
  if (type === 'none') return null;
  if (type !== 'apiKey') return name ?? 'Authorization';
  if (name === null)
    throw new PorticoError('invalid_body', { because: 'authentication.name is required where the type is apiKey' });
  return name;
};

const sameAuthentication = (a: StoredAuthentication, b: StoredAuthentication): boolean =>
  a.type === b.type && a.name === b.name && a.in === b.in && a.sealedValue === b.sealedValue;
