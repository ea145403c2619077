import type { AdminAuthority } from '../../access/principal.ts';
import { isReadMethod, type OperationRule } from '../../access/operation-rule.ts';
import type { Operation } from '../../documents/operation.ts';
import { PorticoError } from '../../errors.ts';
import { keysIn, type RuleEdit } from '../../grants/rule-edit.ts';
import type { CollectionId, OperationKey } from '../../ids.ts';
import { soundsLikeChange } from '../../operations/verbs.ts';
import type { Ports } from '../../ports/index.ts';

type RequiredPorts = Pick<Ports, 'operations'>;

/** The operations that a `read_only` rule allows, for the administrator who sets it. */
export interface ReadOnlyReview {
  readonly count: number;
  /** The first of those whose path or operation id suggests that they change something, in the document's order. */
  readonly suspicious: readonly Operation[];
}

/** The maximum number of suspicious operations that are returned. */
const suspiciousMax = 100;

/** Returns the operations of the collection that the rule allows; null unless it is a `read_only` rule. */
export const reviewReadOnly =
  ({ operations }: RequiredPorts) =>
  async (
    _authority: AdminAuthority,
    collection: CollectionId,
    rule: OperationRule | null,
  ): Promise<ReadOnlyReview | null> => {
    if (rule?.operations !== 'read_only') return null;
    const excluded = new Set(rule.except);
    const readable = (await operations.list(collection, { tag: null, containing: null }, null)).filter(
      ({ key, method }) => isReadMethod(method) && !excluded.has(key),
    );
    return { count: readable.length, suspicious: readable.filter(soundsLikeChange).slice(0, suspiciousMax) };
  };

/** Returns the keys in the change that identify no operation of the collection's document. */
export const findUnknownKeys = async (
  { operations }: RequiredPorts,
  collectionId: CollectionId,
  edit: RuleEdit,
): Promise<readonly OperationKey[]> => {
  const keys = keysIn(edit);
  if (keys.length === 0) return [];
  const existing = await operations.findMany(keys.map((key) => ({ collectionId, key })));
  const existingKeys = new Set(existing.map(({ key }) => key));
  return keys.filter((key) => !existingKeys.has(key));
};

/** The maximum number of keys in an error message. */
const listedKeysMax = 10;

/** Throws `invalid_body` if there are unknown keys. */
export const rejectUnknownKeys = (keys: readonly OperationKey[]): void => {
  if (keys.length === 0) return;
  const rest = keys.length > listedKeysMax ? ` and ${keys.length - listedKeysMax} more` : '';
  const names = keys.slice(0, listedKeysMax).join(', ') + rest;
  throw new PorticoError('invalid_body', { reason: `the document has no operations with these keys: ${names}` });
};
