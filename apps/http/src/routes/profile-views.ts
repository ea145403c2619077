import {
  toIso,
  type ChangedRole,
  type ClientId,
  type Credentials,
  type Group,
  type Instant,
  type LastUse,
  type Membership,
  type Profile,
} from '@portico/domain';
import { z } from 'zod';
import { ownGroup, ownGroupView } from './group-views.ts';
import { isoOrNull, timestamp, uuid } from './wire.ts';

const role = z.enum(['admin', 'client']);
const registrationStatus = z.enum(['pending', 'approved', 'rejected']);
const clientId = uuid
  .nullable()
  .meta({ description: 'API client identifier; null unless the profile is an approved client.' });

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
    description: 'Its last request, by any credential; null if none within 400 days. With `?include=usage`.',
  }),
  key_last_used_at: timestamp.nullable().optional().meta({
    description: 'The same by its API key; with `?include=usage`.',
  }),
  key_expires_at: timestamp.nullable().optional().meta({
    description: 'When its API key expires; null if never, or if there is no key. With `?include=key`.',
  }),
  suspended_at: timestamp.nullable().optional().meta({
    description: 'When it was suspended; null if it is not suspended. With `?include=suspension`.',
  }),
};

/** The data for the extras that is not in the profile. */
export interface ExtraFacts {
  readonly use: LastUse | null;
  readonly keyExpiresAt: Instant | null;
}
const noFacts: ExtraFacts = { use: null, keyExpiresAt: null };

const identity = { id: uuid, email: z.string(), full_name: z.string(), company_name: z.string().nullable() };
const standing = { role, registration_status: registrationStatus };

export const registeredProfile = z
  .object({ ...identity, ...standing, created_at: timestamp })
  .meta({ id: 'RegisteredProfile' });
export const fullProfile = z
  .object({
    ...identity,
    ...standing,
    client_id: clientId,
    created_at: timestamp,
    updated_at: timestamp,
    approved_at: timestamp.optional().meta({ description: 'Present on an approved profile.' }),
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
  .object({ ...identity, ...standing, client_id: clientId, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'UpdatedProfile' });
export const listedProfile = z
  .object({ ...identity, ...standing, client_id: clientId, created_at: timestamp, ...extras })
  .meta({ id: 'ListedProfile' });
export const credentials = z
  .object({
    message: z.string(),
    client_id: uuid,
    client_secret: z.string().meta({ description: 'Shown only once; it cannot be retrieved later.' }),
  })
  .meta({ id: 'Credentials', description: 'An API key pair for the headers `X-Client-ID` and `X-API-Key`.' });

export const registeredProfileView = (profile: Profile): z.input<typeof registeredProfile> => ({
  ...identityView(profile),
  created_at: toIso(profile.createdAt),
});

export const fullProfileView = (
  profile: Profile,
  include: readonly ProfileExtra[],
  facts: ExtraFacts = noFacts,
): z.input<typeof fullProfile> => ({
  ...updatedProfileView(profile),
  ...(profile.status === 'approved' && profile.approvedAt !== null ? { approved_at: toIso(profile.approvedAt) } : {}),
  ...extrasView(profile, include, facts),
});

export const ownProfileView = (
  profile: Profile,
  include: readonly (typeof ownExtras)[number][],
  facts: ExtraFacts,
  groups: readonly (Group & Membership)[] | null,
): z.input<typeof ownProfile> => ({
  ...fullProfileView(
    profile,
    profileExtras.filter((extra) => include.includes(extra)),
    facts,
  ),
  ...(groups ? { groups: groups.map(ownGroupView) } : {}),
});

export const changedRoleView = ({ profile, warning }: ChangedRole): z.input<typeof changedRole> => ({
  ...fullProfileView(profile, []),
  ...(warning === null ? {} : { warning }),
});

export const updatedProfileView = (profile: Profile): z.input<typeof updatedProfile> => ({
  ...identityView(profile),
  client_id: activeClientId(profile),
  created_at: toIso(profile.createdAt),
  updated_at: toIso(profile.updatedAt),
});

export const listedProfileView = (
  profile: Profile,
  include: readonly ProfileExtra[],
  facts: ExtraFacts,
): z.input<typeof listedProfile> => ({
  ...identityView(profile),
  client_id: activeClientId(profile),
  created_at: toIso(profile.createdAt),
  ...extrasView(profile, include, facts),
});

export const credentialsView = (text: string, { clientId, secret }: Credentials): z.input<typeof credentials> => ({
  message: text,
  client_id: clientId,
  client_secret: secret,
});

const extrasView = (
  { tier, issuer, suspendedAt }: Profile,
  include: readonly ProfileExtra[],
  { use, keyExpiresAt }: ExtraFacts,
) => ({
  ...(include.includes('tier') ? { tier } : {}),
  ...(include.includes('bound') ? { bound: issuer !== null } : {}),
  ...(include.includes('usage')
    ? { last_used_at: isoOrNull(use?.lastUsedAt ?? null), key_last_used_at: isoOrNull(use?.keyUsedAt ?? null) }
    : {}),
  ...(include.includes('key') ? { key_expires_at: isoOrNull(keyExpiresAt) } : {}),
  ...(include.includes('suspension') ? { suspended_at: isoOrNull(suspendedAt) } : {}),
});

const identityView = ({ id, email, fullName, companyName, role, status }: Profile) => ({
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
const activeClientId = ({ role, status, clientId }: Profile): ClientId | null =>
  role === 'client' && status === 'approved' ? clientId : null;
