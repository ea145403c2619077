import {
  type CollectionAuthority,
  type PersonAuthority,
  type Principal,
  requireReadableTarget,
} from '../../access/principal.ts';
import type { ChangePolicy } from '../../collections/change-policy.ts';
import type { Collection } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { Group } from '../../groups/group.ts';
import type { CollectionId, GroupId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { groupFieldsOf } from '../audit/system-entry.ts';
import { editCollection } from './collection-edit.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'groups'>;

export type OwnerGroup = Pick<Group, 'id' | 'name'>;

/**
 * Returns the group that owns the collection that the request is about; null if none does. The operator's requests are
 * about no stored collection, so it is read for them.
 */
export const readOwner =
  (ports: Pick<Ports, 'clock' | 'collections' | 'groups'>) =>
  async (principal: Principal<Collection>, id: CollectionId): Promise<OwnerGroup | null> => {
    const operatorTarget = principal.via === 'operator' ? await ports.collections.find(id) : null;
    return findOwner(ports, (operatorTarget ?? requireReadableTarget(principal)).ownerGroup);
  };

/**
 * Makes the members of a group the owners of a collection; with null, only administrators decide about it. Requires a
 * person, because owners give access. Throws `collection_not_found` and `group_not_found`.
 */
export const setOwner =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: CollectionId, groupId: GroupId | null): Promise<OwnerGroup | null> => {
    const group = await findOwner(ports, groupId);
    if (groupId !== null && !group) throw new PorticoError('group_not_found');
    await editCollection(ports, authority, id, (current) =>
      current.ownerGroup === groupId
        ? null
        : {
            parts: { ownerGroup: groupId },
            message: { action: 'collection.owner', ...(group ? groupFieldsOf(group) : { group: null }) },
          },
    );
    return group;
  };

const findOwner = async (
  { groups, clock }: Pick<Ports, 'clock' | 'groups'>,
  id: GroupId | null,
): Promise<OwnerGroup | null> => (id === null ? null : groups.find(id, clock.now()));

/** Replaces the tags of a collection, in this order. Throws `collection_not_found`. */
export const setTags =
  (ports: Pick<Ports, 'clock' | 'random' | 'collections'>) =>
  async (authority: CollectionAuthority, tags: readonly string[]): Promise<readonly string[]> => {
    const collection = await editCollection(ports, authority, authority.collectionId, (current) =>
      tags.length === current.tags.length && tags.every((tag, index) => tag === current.tags[index])
        ? null
        : { parts: { tags }, message: { action: 'collection.tags', tags: [...tags] } },
    );
    return collection.tags;
  };

/** Returns how the changes of a collection are rated. Throws `collection_not_found`. */
export const readChangePolicy =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async ({ collectionId }: CollectionAuthority): Promise<ChangePolicy> => {
    const collection = await collections.find(collectionId);
    if (!collection) throw new PorticoError('collection_not_found');
    return collection.changePolicy;
  };

/** Replaces how the changes of a collection are rated. Throws `collection_not_found`. */
export const setChangePolicy =
  (ports: Pick<Ports, 'clock' | 'random' | 'collections'>) =>
  async (authority: CollectionAuthority, policy: ChangePolicy): Promise<ChangePolicy> => {
    const { changePolicy } = await editCollection(ports, authority, authority.collectionId, (current) =>
      JSON.stringify(policy) === JSON.stringify(current.changePolicy)
        ? null
        : {
            parts: { changePolicy: policy },
            message: {
              action: 'collection.change_policy',
              levels: { ...policy.levels },
              expected: policy.expected.map(({ rule, reason }) => ({ rule, reason })),
            },
          },
    );
    return changePolicy;
  };
