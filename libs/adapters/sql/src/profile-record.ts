import { toEmailKey, type GroupClaims, type Profile, type StoredKey } from '@portico/domain';
import { ProfileEntity } from './entities/profile-entity.ts';
import { columnsOf, insertInto, type Row, updateOf, omitNames } from './table.ts';

type ProfileRow = Row<typeof ProfileEntity>;

/** The columns of a key's secrets, for both profiles and service accounts. */
export const secretColumns = [
  'keyHash',
  'keyTag',
  'previousHash',
  'previousTag',
  'previousUntil',
] as const satisfies readonly (keyof ProfileRow)[];

export const keyColumns = [...secretColumns, 'keyExpiresAt'] as const satisfies readonly (keyof ProfileRow)[];

export const claimColumns = [
  'claimedGroups',
  'claimsIssuedAt',
  'claimsSeenAt',
] as const satisfies readonly (keyof ProfileRow)[];

export const profileColumns = omitNames(
  columnsOf(ProfileEntity),
  'emailKey',
  'bound',
  'grantsEpoch',
  'inGroups',
  ...keyColumns,
  ...claimColumns,
);

export type ProfileColumns = Pick<ProfileRow, (typeof profileColumns)[number]>;
export type ClaimColumns = Pick<ProfileRow, (typeof claimColumns)[number]>;
export type SecretColumns = Pick<ProfileRow, (typeof secretColumns)[number]>;
export type KeyColumns = Pick<ProfileRow, (typeof keyColumns)[number]>;

/** Excludes `inGroups` and the claims of tokens, which `GroupStore` writes. */
const writtenColumns = omitNames(columnsOf(ProfileEntity), 'inGroups', ...claimColumns);

export const insertProfile = insertInto(ProfileEntity, writtenColumns);
export const updateProfile = updateOf(ProfileEntity, 'id', omitNames(writtenColumns, 'id', 'emailKey', 'grantsEpoch'));

/**
 * Lists the members explicitly, like the functions for collections and entries: a loop over the names is twenty times
 * slower.
 */
export const profileOf = (row: ProfileColumns): Profile =>
  ({
    id: row.id,
    email: row.email,
    fullName: row.fullName,
    companyName: row.companyName,
    role: row.role,
    status: row.status,
    uid: row.uid,
    issuer: row.issuer,
    clientId: row.clientId,
    tier: row.tier,
    suspendedAt: row.suspendedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    approvedAt: row.approvedAt,
  }) satisfies { readonly [Name in keyof Profile]: unknown } as Profile;

/** Returns the profile's key, or null if it has none. */
export const keyOf = (row: KeyColumns): StoredKey | null => {
  const secrets = secretsOf(row);
  return secrets && { ...secrets, expiresAt: row.keyExpiresAt };
};

/** Returns the secrets of a key, or null if there is no key. */
export const secretsOf = (row: SecretColumns): Pick<StoredKey, 'current' | 'previous'> | null => {
  const { keyHash, keyTag, previousHash, previousTag, previousUntil } = row;
  if (keyHash === null || keyTag === null) return null;
  const hasPrevious = previousHash !== null && previousTag !== null && previousUntil !== null;
  return {
    current: { hash: keyHash, tag: keyTag },
    previous: hasPrevious ? { hash: previousHash, tag: previousTag, until: previousUntil } : null,
  };
};

/** Returns the group claims, or null if no token has contained any. */
export const claimsOf = ({ claimedGroups, claimsIssuedAt, claimsSeenAt }: ClaimColumns): GroupClaims | null =>
  claimedGroups === null || claimsIssuedAt === null || claimsSeenAt === null
    ? null
    : { names: JSON.parse(claimedGroups) as string[], issuedAt: claimsIssuedAt, seenAt: claimsSeenAt };

/** Returns the row of a profile. A null key clears the columns of the key. */
export const toProfileRow = (profile: Profile, key: StoredKey | null) => ({
  ...profile,
  emailKey: toEmailKey(profile.email),
  bound: profile.issuer !== null,
  keyHash: key?.current.hash ?? null,
  keyTag: key?.current.tag ?? null,
  previousHash: key?.previous?.hash ?? null,
  previousTag: key?.previous?.tag ?? null,
  previousUntil: key?.previous?.until ?? null,
  keyExpiresAt: key?.expiresAt ?? null,
});
