import { toIso, type ClientId, type Credentials, type Profile } from '@portico/domain';
import { z } from 'zod';
import { timestamp, uuid } from './wire.ts';

const role = z.enum(['admin', 'client']);
const registrationStatus = z.enum(['pending', 'approved', 'rejected']);
const clientId = uuid
  .nullable()
  .meta({ description: 'API client identifier; null unless the profile is an approved client.' });
const tier = z
  .string()
  .nullable()
  .optional()
  .meta({ description: 'The assigned rate-limit tier; present with `?include=tier`.' });

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
    tier,
  })
  .meta({ id: 'Profile' });
export const updatedProfile = z
  .object({ ...identity, ...standing, client_id: clientId, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'UpdatedProfile' });
export const listedProfile = z
  .object({ ...identity, ...standing, client_id: clientId, created_at: timestamp, tier })
  .meta({ id: 'ListedProfile' });
export const credentials = z
  .object({
    message: z.string(),
    client_id: uuid,
    client_secret: z.string().meta({ description: 'Said this once; it cannot be retrieved later.' }),
  })
  .meta({ id: 'Credentials', description: 'An API key pair for the headers `X-Client-ID` and `X-API-Key`.' });

export const registeredProfileView = (profile: Profile): z.input<typeof registeredProfile> => ({
  ...identityView(profile),
  created_at: toIso(profile.createdAt),
});

export const fullProfileView = (profile: Profile, withTier: boolean): z.input<typeof fullProfile> => ({
  ...updatedProfileView(profile),
  ...(profile.status === 'approved' && profile.approvedAt !== null ? { approved_at: toIso(profile.approvedAt) } : {}),
  ...(withTier ? { tier: profile.tier } : {}),
});

export const updatedProfileView = (profile: Profile): z.input<typeof updatedProfile> => ({
  ...identityView(profile),
  client_id: awakeClientId(profile),
  created_at: toIso(profile.createdAt),
  updated_at: toIso(profile.updatedAt),
});

export const listedProfileView = (profile: Profile, withTier: boolean): z.input<typeof listedProfile> => ({
  ...identityView(profile),
  client_id: awakeClientId(profile),
  created_at: toIso(profile.createdAt),
  ...(withTier ? { tier: profile.tier } : {}),
});

export const credentialsView = (text: string, { clientId, secret }: Credentials): z.input<typeof credentials> => ({
  message: text,
  client_id: clientId,
  client_secret: secret,
});

const identityView = ({ id, email, fullName, companyName, role, status }: Profile) => ({
  id,
  email,
  full_name: fullName,
  company_name: companyName,
  role,
  registration_status: status,
});

/** An admin's key is asleep, and so is its identifier (specification, section 3). */
const awakeClientId = ({ role, status, clientId }: Profile): ClientId | null =>
  role === 'client' && status === 'approved' ? clientId : null;
