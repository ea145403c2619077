import { type OperationRule, unrestrictedRule } from '../../access/operation-rule.ts';
import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import {
  type ClientAccess,
  type CollectionAccess,
  type Grant,
  grantingRules,
  type GrantRule,
  type GrantState,
  type Pair,
  revokingRules,
} from '../../grants/grant.ts';
import { applyRuleEdit, isSameRule, type RuleEdit } from '../../grants/rule-edit.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import { type Instant, toIsoOrNull, toIso } from '../../instant.ts';
import type { GrantChange } from '../../ports/grant-store.ts';
import type { Ports } from '../../ports/index.ts';
import {
  collectionFieldsOf,
  groupFieldsOf,
  profileFieldsOf,
  createAuditEffects,
  type SystemMessage,
} from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';
import { findUnknownKeys, rejectUnknownKeys } from './rule-operations.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'grants' | 'mailer'>;

/** Grants a client or a group access to a collection, and closes the requests for it. */
export const grantAccess =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, pair: Pair, expiresAt: Instant | null = null): Promise<Grant> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return decidePair(ports, pair, (state, now) => {
      const auditFields = enforce(grantingRules, state, now);
      const grant = { grantedAt: now, expiresAt, rule: null };
      return {
        grant,
        put: [{ ...pair, ...grant }],
        ...closeByGrant(ports, state.requests, now),
        ...createAuditEffects(ports, authority, {
          action: 'access.grant',
          ...auditFields,
          ...expiryFieldOf(expiresAt),
        }),
      };
    });
  };

/** A change of a grant; absent parts remain as they are. */
export interface GrantEdit {
  /** Null for no expiry. */
  readonly expiresAt?: Instant | null | undefined;
  readonly rule?: RuleEdit;
}

/**
 * Changes when a grant expires, and which operations may be called. Throws `invalid_body` for an expiry in the past, and
 * for operations that the document does not have.
 */
export const changeGrant =
  (ports: RequiredPorts & Pick<Ports, 'operations'>) =>
  async (authority: AdminAuthority, pair: Pair, { expiresAt, rule = {} }: GrantEdit): Promise<Grant> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    const unknownKeys = await findUnknownKeys(ports, pair.collection, rule);
    return decidePair(ports, pair, (state, now) => {
      const auditFields = enforce(revokingRules, state, now);
      rejectUnknownKeys(unknownKeys);
      const current = state.grant ?? { grantedAt: now, expiresAt: null, rule: null };
      const grant = {
        ...current,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        rule: applyRuleEdit(current.rule, rule),
      };
      const messages: readonly SystemMessage[] = [
        ...(grant.expiresAt === current.expiresAt
          ? []
          : [{ action: 'access.expiry' as const, ...auditFields, expires_at: toIsoOrNull(grant.expiresAt) }]),
        ...(isSameRule(grant.rule, current.rule)
          ? []
          : [{ action: 'access.rule' as const, ...auditFields, ...ruleFieldsOf(grant.rule) }]),
      ];
      if (messages.length === 0) return { grant, deadline: authority.deadline };
      return { grant, put: [{ ...pair, ...grant }], ...createAuditEffects(ports, authority, ...messages) };
    });
  };

/** Returns the audit entry fields for a rule. */
const ruleFieldsOf = (rule: OperationRule | null) => {
  const { operations, except, ask } = rule ?? unrestrictedRule;
  return {
    operations,
    ...(except.length === 0 ? {} : { except }),
    ...(ask.length === 0 ? {} : { ask }),
  };
};

/** Revokes a grant; no later request anywhere sees it. */
export const revokeAccess =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, pair: Pair): Promise<void> => {
    await decidePair(ports, pair, (state, now) => {
      const auditFields = enforce(revokingRules, state, now);
      return {
        grant: null,
        remove: [pair],
        ...createAuditEffects(ports, authority, { action: 'access.revoke', ...auditFields }),
      };
    });
  };

/** Returns all collections, each with the ways in which the client has access. */
export const listClientAccess =
  ({ grants, clock }: Pick<Ports, 'grants' | 'clock'>) =>
  async (_authority: AdminAuthority, client: ProfileId): Promise<readonly CollectionAccess[]> => {
    const access = await grants.listCollections(client, clock.now());
    if (access?.client.role !== 'client') throw new PorticoError('client_not_found');
    return access.collections;
  };

/** Returns the clients with a grant for a collection, excluding admins, whose grants are dormant. */
export const listCollectionClients =
  ({ grants, clock }: Pick<Ports, 'grants' | 'clock'>) =>
  async (_authority: AdminAuthority, collection: CollectionId): Promise<readonly ClientAccess[]> => {
    const clients = await grants.listClients(collection, clock.now());
    if (!clients) throw new PorticoError('collection_not_found');
    return clients.filter(({ profile }) => profile.role === 'client');
  };

/** Makes and stores a decision about one pair; returns the decision's grant. */
const decidePair = async <Decided extends Grant | null>(
  { grants, clock }: RequiredPorts,
  pair: Pair,
  decide: (state: GrantState, now: Instant) => GrantChange & { readonly grant: Decided },
): Promise<Decided> => {
  let storedGrant: Decided | undefined;
  await grants.update([pair], ([state]) => {
    if (!state) throw new Error('The state of the pair is missing.');
    const { grant, ...change } = decide(state, clock.now());
    storedGrant = grant;
    return change;
  });
  return storedGrant as Decided;
};

/** Returns the error for new access to a retired collection, with the next step. */
export const createRetiredError = (): PorticoError =>
  new PorticoError('collection_retired', {
    reason: 'no one can get access to it; activate it first, or use another API',
  });

/** Returns the audit entry field for the expiry of a grant. */
export const expiryFieldOf = (expiresAt: Instant | null) =>
  expiresAt === null ? {} : { expires_at: toIso(expiresAt) };

/**
 * Returns the audit entry fields for the pair if every rule holds; throws the error of the first rule that does not.
 */
export const enforce = (rules: readonly GrantRule[], state: GrantState, now: Instant) => {
  for (const rule of rules) {
    const errorCode = rule(state, now);
    if (errorCode === 'collection_retired') throw createRetiredError();
    if (errorCode) throw new PorticoError(errorCode);
  }
  const { client, group, collection, collectionName } = state;
  const grantee = client ? profileFieldsOf(client) : group && groupFieldsOf(group);
  if (!grantee) throw new PorticoError('client_not_found');
  if (collectionName === null) throw new PorticoError('collection_not_found');
  return { ...grantee, ...collectionFieldsOf({ id: collection, name: collectionName }) };
};
