import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import {
  type ClientAccess,
  type CollectionAccess,
  grantingRules,
  type GrantRule,
  type GrantState,
  revokingRules,
} from '../../grants/grant.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { ofCollection, ofProfile, recorded } from '../audit/system-entry.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'grants'>;

/** Grants a client a collection; returns when it was granted. */
export const grantAccess =
  (ports: Needs) =>
  async (
    authority: AdminAuthority,
    client: ProfileId,
    collection: CollectionId,
  ): Promise<{ readonly grantedAt: number }> => {
    const grantedAt = ports.clock.now();
    await ports.grants.grant(client, collection, (state) => {
      const pair = enforce(grantingRules, collection, state);
      return { grantedAt, ...recorded(ports, authority, { action: 'access.grant', ...pair }) };
    });
    return { grantedAt };
  };

/** Revokes a grant; no later request anywhere sees it. */
export const revokeAccess =
  (ports: Needs) =>
  async (authority: AdminAuthority, client: ProfileId, collection: CollectionId): Promise<void> => {
    await ports.grants.revoke(client, collection, (state) => {
      const pair = enforce(revokingRules, collection, state);
      return recorded(ports, authority, { action: 'access.revoke', ...pair });
    });
  };

/** Returns all collections, each with the client's grant, if any. */
export const listClientAccess =
  ({ grants }: Pick<Ports, 'grants'>) =>
  async (_authority: AdminAuthority, client: ProfileId): Promise<readonly CollectionAccess[]> => {
    const found = await grants.collectionsOf(client);
    if (found?.client.role !== 'client') throw new PorticoError('client_not_found');
    return found.collections;
  };

/** Returns the clients with a grant for a collection, without admins, whose grants are asleep. */
export const listCollectionClients =
  ({ grants }: Pick<Ports, 'grants'>) =>
  async (_authority: AdminAuthority, collection: CollectionId): Promise<readonly ClientAccess[]> => {
    const clients = await grants.clientsOf(collection);
    if (!clients) throw new PorticoError('collection_not_found');
    return clients.filter(({ profile }) => profile.role === 'client');
  };

/** Returns the pair as an audit entry names it, if every rule holds; throws the first refusal. */
const enforce = (rules: readonly GrantRule[], id: CollectionId, state: GrantState) => {
  for (const rule of rules) {
    const refusal = rule(state);
    if (refusal) throw new PorticoError(refusal);
  }
  const { client, collectionName } = state;
  if (!client) throw new PorticoError('client_not_found');
  if (collectionName === null) throw new PorticoError('collection_not_found');
  return { ...ofProfile(client), ...ofCollection({ id, name: collectionName }) };
};
