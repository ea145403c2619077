import { toIso, type ClientLimit, type ClientOverride, type Override, type Tier } from '@portico/domain';
import { z } from 'zod';
import { timestamp, uuid } from './wire.ts';

const rule = { allowed_limit: z.int(), window_seconds: z.int() };
export const tier = z
  .object({
    tier: z.string(),
    ...rule,
    description: z.string().nullable(),
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Tier' });
export const override = z
  .object({
    id: z.int(),
    client_id: uuid,
    ...rule,
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Override' });
export const listedOverride = override
  .extend({
    profile_id: uuid
      .optional()
      .meta({ description: "The id of the client's profile; present with `?include=client`." }),
    email: z
      .string()
      .optional()
      .meta({ description: 'The email address of the client; present with `?include=client`.' }),
    full_name: z
      .string()
      .optional()
      .meta({ description: 'The full name of the client; present with `?include=client`.' }),
  })
  .meta({ id: 'ListedOverride' });
export const effectiveLimit = z
  .object({
    client_id: uuid,
    ...rule,
    source: z.enum(['override', 'tier', 'default']),
    tier: z.string().nullable(),
    override_id: z.int().nullable(),
    remaining: z.int(),
    reset_seconds: z.int(),
  })
  .meta({ id: 'EffectiveLimit' });

export const toTierView = (row: Tier): z.input<typeof tier> => ({
  tier: row.tier,
  allowed_limit: row.allowed,
  window_seconds: row.windowSeconds,
  description: row.description,
  is_active: row.isActive,
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

export const toOverrideView = (row: Override): z.input<typeof override> => ({
  id: row.id,
  client_id: row.clientId,
  allowed_limit: row.allowed,
  window_seconds: row.windowSeconds,
  is_active: row.isActive,
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

export const toListedOverrideView = (
  { override: row, client }: ClientOverride,
  includesClient: boolean,
): z.input<typeof listedOverride> => ({
  ...toOverrideView(row),
  ...(includesClient ? { profile_id: client.id, email: client.email, full_name: client.fullName } : {}),
});

export const toEffectiveLimitView = (row: ClientLimit): z.input<typeof effectiveLimit> => ({
  client_id: row.clientId,
  allowed_limit: row.rule.allowed,
  window_seconds: row.rule.windowSeconds,
  source: row.source,
  tier: row.tier,
  override_id: row.overrideId,
  remaining: row.usage.remaining,
  reset_seconds: row.usage.resetSeconds,
});
