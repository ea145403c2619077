import {
  toIso,
  type RoleChange,
  type ClientId,
  type Credentials,
  type Group,
  type Instant,
  type LastUse,
  type Membership,
  type Profile,
} from '@portico/domain';
import { z } from 'zod';
import { ownGroup, toOwnGroupView } from './group-views.ts';
import { toIsoOrNull, timestamp, uuid } from './wire.ts';

const role = z.enum(['admin', 'client']);
const registrationStatus = z.enum(['pending', 'approved', 'rejected']);
const clientId = uuid
  .nullable()
  .meta({ description: 'The API client identifier; null unless the profile is an approved client.' });

/** The additional fields of a profile, shown only on request. */
export const profileExtras = ['tier', 'bound', 'usage', 'key', 'suspension'] as const;
/** The extras that callers may request for themselves. */
export const ownExtras = [...profileExtras, 'groups'] as const;
export type ProfileExtra = (typeof profileExtras)[number];

const extras = {
  tier: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The assigned rate-limit tier; present with `?include=tier`.' }),
  bound: z
    .boolean()
    .optional()
    .meta({ description: 'Whether an identity token has bound the profile; present with `?include=bound`.' }),
  last_used_at: timestamp.nullable().optional().meta({
    description:
      'The time of the last request of the profile with any credential; null if there was none within 400 days. Present with `?include=usage`.',
  }),
  key_last_used_at: timestamp.nullable().optional().meta({
    description: 'The time of the last request with the API key of the profile; present with `?include=usage`.',
  }),
  key_expires_at: timestamp.nullable().optional().meta({
    description:
      'When the API key of the profile expires; null if it never expires, or if there is no key. Present with `?include=key`.',
  }),
  suspended_at: timestamp.nullable().optional().meta({
    description: 'When the profile was suspended; null if it is not suspended. Present with `?include=suspension`.',
  }),
};

/** The data for the extras that is not in the profile. */
export interface ExtraData {
  readonly use: LastUse | null;
  readonly keyExpiresAt: Instant | null;
}
const noExtraData: ExtraData = { use: null, keyExpiresAt: null };

const identity = { id: uuid, email: z.string(), full_name: z.string(), company_name: z.string().nullable() };
const roleAndStatus = { role, registration_status: registrationStatus };

export const registeredProfile = z
  .object({ ...identity, ...roleAndStatus, created_at: timestamp })
  .meta({ id: 'RegisteredProfile' });
export const fullProfile = z
  .object({
    ...identity,
    ...roleAndStatus,
    client_id: clientId,
    created_at: timestamp,
    updated_at: timestamp,
    approved_at: timestamp.optional().meta({ description: 'Present if the profile is approved.' }),
    ...extras,
  })
  .meta({ id: 'Profile' });
export const ownProfile = fullProfile
  .extend({ groups: z.array(ownGroup).optional().meta({ description: 'By name; present with `?include=groups`.' }) })
  .meta({ id: 'OwnProfile' });
export const changedRole = fullProfile
  .extend({
    warning: z.string().optional().meta({ description: 'Present if the new admin cannot sign in yet.' }),
  })
  .meta({ id: 'ChangedRole' });
export const updatedProfile = z
  .object({ ...identity, ...roleAndStatus, client_id: clientId, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'UpdatedProfile' });
export const listedProfile = z
  .object({ ...identity, ...roleAndStatus, client_id: clientId, created_at: timestamp, ...extras })
  .meta({ id: 'ListedProfile' });
export const credentials = z
  .object({
    message: z.string(),
    client_id: uuid,
    client_secret: z.string().meta({ description: 'Shown only once; it cannot be retrieved later.' }),
  })
  .meta({ id: 'Credentials', description: 'An API key pair for the headers `X-Client-ID` and `X-API-Key`.' });

export const toRegisteredProfileView = (profile: Profile): z.input<typeof registeredProfile> => ({
  ...toIdentityView(profile),
  created_at: toIso(profile.createdAt),
});

export const toFullProfileView = (
  profile: Profile,
  include: readonly ProfileExtra[],
  extraData: ExtraData = noExtraData,
): z.input<typeof fullProfile> => ({
  ...toUpdatedProfileView(profile),
  ...(profile.status === 'approved' && profile.approvedAt !== null ? { approved_at: toIso(profile.approvedAt) } : {}),
  ...toExtrasView(profile, include, extraData),
});

export const toOwnProfileView = (
  profile: Profile,
  include: readonly (typeof ownExtras)[number][],
  extraData: ExtraData,
  groups: readonly (Group & Membership)[] | null,
): z.input<typeof ownProfile> => ({
  ...toFullProfileView(
    profile,
    profileExtras.filter((extra) => include.includes(extra)),
    extraData,
  ),
  ...(groups ? { groups: groups.map(toOwnGroupView) } : {}),
});

export const toChangedRoleView = ({ profile, warning }: RoleChange): z.input<typeof changedRole> => ({
  ...toFullProfileView(profile, []),
  ...(warning === null ? {} : { warning }),
});

export const toUpdatedProfileView = (profile: Profile): z.input<typeof updatedProfile> => ({
  ...toIdentityView(profile),
  client_id: activeClientIdOf(profile),
  created_at: toIso(profile.createdAt),
  updated_at: toIso(profile.updatedAt),
});

export const toListedProfileView = (
  profile: Profile,
  include: readonly ProfileExtra[],
  extraData: ExtraData,
): z.input<typeof listedProfile> => ({
  ...toIdentityView(profile),
  client_id: activeClientIdOf(profile),
  created_at: toIso(profile.createdAt),
  ...toExtrasView(profile, include, extraData),
});

export const toCredentialsView = (text: string, { clientId, secret }: Credentials): z.input<typeof credentials> => ({
  message: text,
  client_id: clientId,
  client_secret: secret,
});

const toExtrasView = (
  { tier, issuer, suspendedAt }: Profile,
  include: readonly ProfileExtra[],
  { use, keyExpiresAt }: ExtraData,
) => ({
  ...(include.includes('tier') ? { tier } : {}),
  ...(include.includes('bound') ? { bound: issuer !== null } : {}),
  ...(include.includes('usage')
    ? { last_used_at: toIsoOrNull(use?.lastUsedAt ?? null), key_last_used_at: toIsoOrNull(use?.keyUsedAt ?? null) }
    : {}),
  ...(include.includes('key') ? { key_expires_at: toIsoOrNull(keyExpiresAt) } : {}),
  ...(include.includes('suspension') ? { suspended_at: toIsoOrNull(suspendedAt) } : {}),
});

const toIdentityView = ({ id, email, fullName, companyName, role, status }: Profile) => ({
  id,
  email,
  full_name: fullName,
  company_name: companyName,
  role,
  registration_status: status,
});

/**
 * Returns the identifier of an active key. An admin's key is inactive, and its identifier is not shown (specification,
 * section 3).
 */
const activeClientIdOf = ({ role, status, clientId }: Profile): ClientId | null =>
  role === 'client' && status === 'approved' ? clientId : null;
