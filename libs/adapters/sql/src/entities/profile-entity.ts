import { defineEntity, p } from '@mikro-orm/core';
import type { ClientId, ProfileId, RegistrationStatus, Role } from '@portico/domain';
import { int64, text } from './columns.ts';

export const ProfileEntity = defineEntity({
  name: 'Profile',
  tableName: 'profiles',
  properties: {
    id: text().$type<ProfileId>().primary(),
    email: text().unique('profiles_email_unique'),
    /** `emailKey(email)`. Null if another profile had that key first, or if an earlier version wrote the row. */
    emailKey: text().nullable().unique('profiles_email_key_unique'),
    fullName: text(),
    companyName: text().nullable(),
    role: text().$type<Role>(),
    status: text().$type<RegistrationStatus>(),
    uid: text().unique('profiles_uid_unique'),
    /** Whether `issuer` is set. Written for older versions, which may run at the same time as this one; never read. */
    bound: p.boolean(),
    /** Null while the profile is not bound, regardless of `bound`. */
    issuer: text().nullable(),
    clientId: text().$type<ClientId>().nullable().unique('profiles_client_id_unique'),
    /** No foreign key: removing the tier changes the profile, including its `updatedAt`. */
    tier: text().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
    approvedAt: int64().nullable(),
    /** The API key: `keyHash` and `keyTag` are null together. */
    keyHash: text().nullable(),
    keyTag: int64().nullable(),
    previousHash: text().nullable(),
    previousTag: int64().nullable(),
    previousUntil: int64().nullable(),
    keyExpiresAt: int64().nullable(),
    suspendedAt: int64().nullable(),
    /** The groups in the newest token, as a JSON array. This column and the next two are null together. */
    claimedGroups: text().nullable(),
    claimsIssuedAt: int64().nullable(),
    claimsSeenAt: int64().nullable(),
    /** Grows with each change of the profile's grants or groups. */
    grantsEpoch: int64(),
    /** False if no row makes the profile a member of a group, so that requests do not need to look for groups. */
    inGroups: p.boolean().default(false),
  },
  indexes: [
    { name: 'profiles_role_index', properties: ['role'] },
    { name: 'profiles_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'profiles_key_ends_index', properties: ['keyExpiresAt'], where: 'key_expires_at is not null' },
  ],
});

/** Returns a foreign key to a profile: the row is deleted together with the profile. */
export const createProfileReference = () =>
  p.manyToOne(ProfileEntity).mapToPk().joinColumn('profile_id').deleteRule('cascade');
