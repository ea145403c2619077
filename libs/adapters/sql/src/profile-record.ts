import type { Profile, StoredKey } from '@portico/domain';
import type { ProfileRow } from './entities.ts';

export const profileColumns = [
  'id',
  'email',
  'fullName',
  'companyName',
  'role',
  'status',
  'uid',
  'issuer',
  'clientId',
  'tier',
  'createdAt',
  'updatedAt',
  'approvedAt',
] as const satisfies readonly (keyof Profile & keyof ProfileRow)[];

export const keyColumns = [
  'keyHash',
  'keyTag',
  'previousHash',
  'previousTag',
  'previousUntil',
] as const satisfies readonly (keyof ProfileRow)[];

export type ProfileColumns = Pick<ProfileRow, (typeof profileColumns)[number]>;
export type KeyColumns = Pick<ProfileRow, (typeof keyColumns)[number]>;

export const profileOf = (row: ProfileColumns): Profile =>
  ({
    id: row.id,
    email: row.email,
    fullName: row.fullName,
    companyName: row.companyName ?? null,
    role: row.role,
    status: row.status,
    uid: row.uid,
    issuer: row.issuer ?? null,
    clientId: row.clientId ?? null,
    tier: row.tier ?? null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    approvedAt: row.approvedAt ?? null,
  }) as Profile;

/** Null where the profile has no key. */
export const keyOf = (row: KeyColumns): StoredKey | null => {
  const { keyHash, keyTag, previousHash, previousTag, previousUntil } = row;
  if (keyHash == null || keyTag == null) return null;
  const hasPrevious = previousHash != null && previousTag != null && previousUntil != null;
  return {
    current: { hash: keyHash, tag: keyTag },
    previous: hasPrevious ? { hash: previousHash, tag: previousTag, until: previousUntil } : null,
  };
};

export const profileData = (profile: Profile) => ({ ...profile, bound: profile.issuer !== null });

/** For null, columns that take the key away. */
export const keyData = (key: StoredKey | null) => ({
  keyHash: key?.current.hash ?? null,
  keyTag: key?.current.tag ?? null,
  previousHash: key?.previous?.hash ?? null,
  previousTag: key?.previous?.tag ?? null,
  previousUntil: key?.previous?.until ?? null,
});
