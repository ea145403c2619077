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
import type { CollectionId, ProfileId } from '../../ids.ts';
import { type Instant, isoOrNull, toIso } from '../../instant.ts';
import type { GrantChange } from '../../ports/grant-store.ts';
import type { Ports } from '../../ports/index.ts';
import { ofCollection, ofGroup, ofProfile, auditEffects } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'grants' | 'mailer'>;

/** Grants a client or a group access to a collection, and closes the requests for it. */
export const grantAccess =
  (ports: Needs) =>
  async (authority: AdminAuthority, pair: Pair, expiresAt: Instant | null = null): Promise<Grant> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return decideOne(ports, pair, (state, now) => {
      const names = enforce(grantingRules, state, now);
      const grant = { grantedAt: now, expiresAt };
      return {
        grant,
        put: [{ ...pair, ...grant }],
        ...closeByGrant(ports, state.requests, now),
        ...auditEffects(ports, authority, { action: 'access.grant', ...names, ...expiryField(expiresAt) }),
      };
    });
  };

/** Changes when a grant expires; null means never. */
export const changeExpiry =
  (ports: Needs) =>
  async (authority: AdminAuthority, pair: Pair, expiresAt: Instant | null): Promise<Grant> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return decideOne(ports, pair, (state, now) => {
      const names = enforce(revokingRules, state, now);
      const grant = { grantedAt: state.grant?.grantedAt ?? now, expiresAt };
      if (state.grant?.expiresAt === expiresAt) return { grant, deadline: authority.deadline };
      return {
        grant,
        put: [{ ...pair, ...grant }],
        ...auditEffects(ports, authority, { action: 'access.expiry', ...names, expires_at: isoOrNull(expiresAt) }),
      };
    });
  };

/** Revokes a grant; no later request anywhere sees it. */
export const revokeAccess =
  (ports: Needs) =>
  async (authority: AdminAuthority, pair: Pair): Promise<void> => {
    await decideOne(ports, pair, (state, now) => {
      const names = enforce(revokingRules, state, now);
      return { grant: null, remove: [pair], ...auditEffects(ports, authority, { action: 'access.revoke', ...names }) };
    });
  };

/** Returns all collections, each with the ways in which the client has access. */
export const listClientAccess =
  ({ grants, clock }: Pick<Ports, 'grants' | 'clock'>) =>
  async (_authority: AdminAuthority, client: ProfileId): Promise<readonly CollectionAccess[]> => {
    const access = await grants.collectionsOf(client, clock.now());
    if (access?.client.role !== 'client') throw new PorticoError('client_not_found');
    return access.collections;
  };

/** Returns the clients with a grant for a collection, excluding admins, whose grants are dormant. */
export const listCollectionClients =
  ({ grants, clock }: Pick<Ports, 'grants' | 'clock'>) =>
  async (_authority: AdminAuthority, collection: CollectionId): Promise<readonly ClientAccess[]> => {
    const clients = await grants.clientsOf(collection, clock.now());
    if (!clients) throw new PorticoError('collection_not_found');
    return clients.filter(({ profile }) => profile.role === 'client');
  };

/** Makes and stores a decision about one pair; returns the decision's grant. */
const decideOne = async <Decided extends Grant | null>(
  { grants, clock }: Needs,
  pair: Pair,
  decide: (state: GrantState, now: Instant) => GrantChange & { readonly grant: Decided },
): Promise<Decided> => {
  let stored: Decided | undefined;
  await grants.update([pair], ([state]) => {
    if (!state) throw new Error('The state of the pair is missing.');
    const { grant, ...change } = decide(state, clock.now());
    stored = grant;
    return change;
  });
  return stored as Decided;
};

/** Returns the audit entry field for the expiry of a grant. */
export const expiryField = (expiresAt: Instant | null) => (expiresAt === null ? {} : { expires_at: toIso(expiresAt) });

/**
 * Returns the audit entry fields for the pair if every rule holds; throws the error of the first rule that does not.
 */
export const enforce = (rules: readonly GrantRule[], state: GrantState, now: Instant) => {
  for (const rule of rules) {
    const refusal = rule(state, now);
    if (refusal) throw new PorticoError(refusal);
  }
  const { client, group, collection, collectionName } = state;
  const grantee = client ? ofProfile(client) : group && ofGroup(group);
  if (!grantee) throw new PorticoError('client_not_found');
  if (collectionName === null) throw new PorticoError('collection_not_found');
  return { ...grantee, ...ofCollection({ id: collection, name: collectionName }) };
};
