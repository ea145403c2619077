import { defineEntity, p } from '@mikro-orm/core';
import type { CallId, CallStatus, GroupId, OperationKey, ProfileId, RequestId, RequestStatus } from '@portico/domain';
import { int64, text } from './columns.ts';
import { createCollectionReference } from './collection-entities.ts';
import { createProfileReference } from './profile-entity.ts';

export const GrantEntity = defineEntity({
  name: 'Grant',
  tableName: 'grants',
  properties: {
    profileId: () => createProfileReference().primary().index(false),
    collectionId: () => createCollectionReference().primary().index('grants_collection_index'),
    grantedAt: int64(),
    expiresAt: int64().nullable(),
    rule: text().nullable(),
  },
  indexes: [
    { name: 'grants_expiry_index', properties: ['profileId', 'expiresAt'], where: 'expires_at is not null' },
    { name: 'grants_ends_index', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

export const GroupEntity = defineEntity({
  name: 'Group',
  tableName: 'access_groups',
  properties: {
    id: text().$type<GroupId>().primary(),
    name: text().unique('access_groups_name_unique'),
    description: text(),
    /** No foreign key, as in `ProfileEntity`. */
    tier: text().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
  },
});

/** Returns a foreign key to a group: the row is deleted together with the group. */
export const createGroupReference = () =>
  p.manyToOne(GroupEntity).mapToPk().joinColumn('group_id').deleteRule('cascade');

/** Members that an administrator added. */
export const GroupMemberEntity = defineEntity({
  name: 'GroupMember',
  tableName: 'group_members',
  properties: {
    profileId: () => createProfileReference().primary().index(false),
    groupId: () => createGroupReference().primary().index('group_members_group_index'),
    addedAt: int64(),
  },
});

/** The group names in a profile's newest token. The profile is a member of the groups with these names. */
export const ClaimedGroupEntity = defineEntity({
  name: 'ClaimedGroup',
  tableName: 'claimed_groups',
  properties: {
    profileId: () => createProfileReference().primary().index(false),
    name: text().primary().index('claimed_groups_name_index'),
  },
});

export const GroupGrantEntity = defineEntity({
  name: 'GroupGrant',
  tableName: 'group_grants',
  properties: {
    groupId: () => createGroupReference().primary().index(false),
    collectionId: () => createCollectionReference().primary().index('group_grants_collection_index'),
    grantedAt: int64(),
    expiresAt: int64().nullable(),
    rule: text().nullable(),
  },
  indexes: [
    { name: 'group_grants_expiry_index', properties: ['groupId', 'expiresAt'], where: 'expires_at is not null' },
    { name: 'group_grants_ends_index', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

export const AccessRequestEntity = defineEntity({
  name: 'AccessRequest',
  tableName: 'access_requests',
  properties: {
    id: text().$type<RequestId>().primary(),
    profileId: () => createProfileReference().index(false),
    collectionId: () => createCollectionReference().index('access_requests_collection_index'),
    reason: text(),
    durationDays: int64().nullable(),
    status: text().$type<RequestStatus>(),
    createdAt: int64(),
    decidedAt: int64().nullable(),
    answer: text().nullable(),
  },
  indexes: [
    { name: 'access_requests_profile_index', properties: ['profileId', 'createdAt'] },
    { name: 'access_requests_status_index', properties: ['status', 'createdAt'] },
  ],
  uniques: [
    {
      name: 'access_requests_pending_unique',
      properties: ['collectionId', 'profileId'],
      where: "status = 'pending'",
    },
  ],
});

export const PendingCallEntity = defineEntity({
  name: 'PendingCall',
  tableName: 'pending_calls',
  properties: {
    id: text().$type<CallId>().primary(),
    profileId: () => createProfileReference().index(false),
    collectionId: () => createCollectionReference().index('pending_calls_collection_index'),
    operationKey: text().$type<OperationKey>(),
    method: text(),
    path: text(),
    status: text().$type<CallStatus>(),
    requestedAt: int64().index('pending_calls_requested_index'),
    expiresAt: int64(),
    decidedAt: int64().nullable(),
    /** No foreign key: kept when that profile is deleted. */
    decidedBy: text().$type<ProfileId>().nullable(),
    reason: text().nullable(),
    sealed: text().nullable(),
  },
  indexes: [
    { name: 'pending_calls_profile_index', properties: ['profileId', 'requestedAt'] },
    { name: 'pending_calls_status_index', properties: ['status', 'expiresAt'] },
  ],
});
