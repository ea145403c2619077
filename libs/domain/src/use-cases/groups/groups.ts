import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { GroupCollection } from '../../grants/grant.ts';
import { allGroups, type Group, type GroupPage, type ListedGroup } from '../../groups/group.ts';
import { type GroupId, parseId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { GroupChange } from '../../ports/group-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { groupFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>;

export type GroupInput = Pick<Group, 'name' | 'description' | 'tier'>;

/** The fields that an edit sets; undefined fields are left unchanged. */
export type GroupEdit = { readonly [Field in keyof GroupInput]?: GroupInput[Field] | undefined };

/**
 * Adds a group; throws `group_taken` and `tier_not_found`. Profiles with a claim for the group become members
 * immediately.
 */
export const createGroup =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, input: GroupInput): Promise<Group> => {
    const now = ports.clock.now();
    const group: Group = { id: ports.random.uuid() as GroupId, ...input, createdAt: now, updatedAt: now };
    const message = {
      action: 'group.create' as const,
      ...groupFieldsOf(group),
      ...(group.tier === null ? {} : { tier: group.tier }),
    };
    await ports.groups.add(group, createAuditEffects(ports, authority, message));
    return group;
  };

/** Returns all groups or one page of them, sorted by name. */
export const listGroups =
  ({ groups, clock }: Pick<Ports, 'clock' | 'groups'>) =>
  (_authority: AdminAuthority, page: GroupPage = allGroups): Promise<readonly ListedGroup[]> =>
    groups.list(clock.now(), page);

/** Returns the number of groups across all pages. */
export const countGroups =
  ({ groups }: Pick<Ports, 'groups'>) =>
  (_authority: AdminAuthority, containing: string | null): Promise<number> =>
    groups.count(containing);

/**
 * Returns the id of the group with this id or exactly this name. A name that looks like an id is also found, because
 * some identity providers use such names. Throws `group_not_found`.
 */
export const findGroup =
  ({ groups, clock }: Pick<Ports, 'clock' | 'groups'>) =>
  async (_authority: AdminAuthority, text: string): Promise<GroupId> => {
    const id = parseId<GroupId>(text);
    if (id && (await groups.find(id, clock.now()))) return id;
    const [group] = text.includes('\0') ? [] : await groups.findByNames([text.normalize('NFC')]);
    if (!group) throw new PorticoError('group_not_found');
    return group.id;
  };

/** Returns one group; throws `group_not_found`. */
export const readGroup =
  ({ groups, clock }: Pick<Ports, 'clock' | 'groups'>) =>
  async (_authority: AdminAuthority, id: GroupId): Promise<ListedGroup> => {
    const group = await groups.find(id, clock.now());
    if (!group) throw new PorticoError('group_not_found');
    return group;
  };

/**
 * Returns the collections that the group has access to now, sorted by name, each with its grant; throws
 * `group_not_found`.
 */
export const listGroupCollections =
  ({ groups, clock }: Pick<Ports, 'clock' | 'groups'>) =>
  async (_authority: AdminAuthority, id: GroupId): Promise<readonly GroupCollection[]> => {
    const collections = await groups.listCollections(id, clock.now());
    if (!collections) throw new PorticoError('group_not_found');
    return collections;
  };

/**
 * Changes the fields that the edit sets; takes effect as of the next request. This includes membership by a claim for a
 * new name, so these members' requests for collections that the group has access to are closed.
 */
export const updateGroup =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, id: GroupId, edit: GroupEdit): Promise<Group> => {
    const now = ports.clock.now();
    const decide = (current: Group, requests: readonly AccessRequest[]): GroupChange => {
      const fields = editableFields.filter((field) => edit[field] !== undefined && edit[field] !== current[field]);
      if (fields.length === 0) return { group: current, deadline: authority.deadline };
      const changes = Object.fromEntries(fields.map((field) => [field, edit[field]]));
      const group: Group = { ...current, ...changes, updatedAt: nextChangeAt(current.updatedAt, now) };
      const message = {
        action: 'group.update' as const,
        ...groupFieldsOf(current),
        fields,
        ...(fields.includes('name') ? { new_name: group.name } : {}),
        ...(fields.includes('tier') ? { tier: group.tier } : {}),
      };
      const closedRequests = fields.includes('name') ? closeByGrant(ports, requests, now) : {};
      return { group, ...closedRequests, ...createAuditEffects(ports, authority, message) };
    };
    return ports.groups.update(id, decide, edit.name === undefined ? null : { name: edit.name, now });
  };

const editableFields = ['name', 'description', 'tier'] as const satisfies readonly (keyof GroupInput)[];

/** Removes the group; its members lose its grants and its tier as of the next request. */
export const removeGroup =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, id: GroupId): Promise<void> =>
    ports.groups.remove(id, (group) =>
      createAuditEffects(ports, authority, { action: 'group.delete', ...groupFieldsOf(group) }),
    );

/**
 * Removes the group claims of all profiles, for a service that does not use a groups claim. Returns the number of
 * profiles that had any.
 */
export const clearGroupClaims =
  ({ groups }: Pick<Ports, 'groups'>) =>
  (_authority: AdminAuthority): Promise<number> =>
    groups.clearClaims();
