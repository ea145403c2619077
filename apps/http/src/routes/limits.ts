import {
  allowedMax,
  parseId,
  PorticoError,
  tierDescriptionMax,
  tierNameForm,
  tierNameMax,
  toIso,
  windowSecondsMax,
  type ClientId,
  type ClientLimit,
  type ClientOverride,
  type Override,
  type Tier,
} from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import {
  booleanParameter,
  clearable,
  numberParameter,
  optional,
  text,
  wholeNumber,
  wordsParameter,
} from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { includeTotal, pageHeaders, pageLimit, pageLimitDefault, pageOf } from './paging.ts';
import { profileOf } from './profile-path.ts';
import { message, timestamp, uuid } from './wire.ts';

const allowedLimit = wholeNumber(1, allowedMax).meta({ description: 'Requests in a window.', examples: [600] });
const windowSeconds = wholeNumber(1, windowSecondsMax).meta({ description: 'Length of the window.', examples: [60] });
const tierDescription = text({ max: tierDescriptionMax });

const newTier = z
  .object({
    tier: text({ max: tierNameMax })
      .refine((value) => tierNameForm.test(value), {
        error: 'must be made of a-z, 0-9, "_" and "-", and begin with a letter or digit',
      })
      .meta({ pattern: tierNameForm.source, examples: ['gold'] }),
    allowed_limit: allowedLimit,
    window_seconds: windowSeconds,
    description: optional(tierDescription).meta({ examples: ['For partners.'] }),
    is_active: optional(z.boolean()).meta({ default: true }),
  })
  .meta({ id: 'NewTier' });
const tierChange = z
  .object({
    allowed_limit: optional(allowedLimit).meta({ examples: [1_200] }),
    window_seconds: optional(windowSeconds),
    description: clearable(tierDescription).meta({
      description: 'null or an empty string clears it.',
      examples: ['For partners.'],
    }),
    is_active: optional(z.boolean()),
  })
  .meta({ id: 'TierChange' });
const newOverride = z
  .object({
    client_id: text({ max: 128 }).meta({
      description: "The API client identifier; the profile's id or e-mail is accepted as well.",
      examples: ['3f2d8c5e-9b7a-4d61-8f0e-5c4b3a291807'],
    }),
    allowed_limit: allowedLimit,
    window_seconds: windowSeconds,
    is_active: optional(z.boolean()).meta({ default: true }),
  })
  .meta({ id: 'NewOverride' });
const overrideChange = tierChange.omit({ description: true }).meta({ id: 'OverrideChange' });

const rule = { allowed_limit: z.int(), window_seconds: z.int() };
const tier = z
  .object({
    tier: z.string(),
    ...rule,
    description: z.string().nullable(),
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Tier' });
const override = z
  .object({
    id: z.int(),
    client_id: uuid,
    ...rule,
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Override' });
const listedOverride = override
  .extend({
    profile_id: uuid.optional().meta({ description: "The id of the client's profile; with `?include=client`." }),
    email: z.string().optional().meta({ description: "The client's; with `?include=client`." }),
    full_name: z.string().optional().meta({ description: 'Likewise.' }),
  })
  .meta({ id: 'ListedOverride' });
const effectiveLimit = z
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

const tierParameter = {
  tier: { description: "The tier's name.", schema: { type: 'string', pattern: tierNameForm.source }, example: 'gold' },
} as const;
const overrideIdMax = 2_147_483_647;
const overrideParameter = {
  id: {
    description: "The override's id.",
    schema: { type: 'integer', minimum: 1, maximum: overrideIdMax },
    example: 1,
  },
} as const;
const apiClientParameter = {
  client_id: {
    description: "The API client identifier; the profile's id is accepted as well.",
    schema: { type: 'string', format: 'uuid' },
    example: '3f2d8c5e-9b7a-4d61-8f0e-5c4b3a291807',
  },
} as const;

const tierRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/tiers',
    operation: 'listTiers',
    summary: 'List all tiers',
    description: 'Sorted by name.',
    auth: 'admin',
    scope: 'limits:write',
    status: 200,
    supplies: { tier: '$response.body#/0/tier' },
    response: z.array(tier),
    handler: async ({ useCases }) => json((await useCases.listTiers(false)).map(tierView)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/tiers/active/all',
    operation: 'listActiveTiers',
    summary: 'List the active tiers',
    description: 'Sorted by name. For every authenticated caller.',
    auth: 'token or key',
    scope: 'limits:write',
    status: 200,
    response: z.array(tier),
    handler: async ({ useCases }) => json((await useCases.listTiers(true)).map(tierView)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/rate-limits/tiers',
    operation: 'createTier',
    summary: 'Create a tier',
    description: 'It limits its clients from their next request on.',
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: newTier,
    status: 201,
    supplies: { tier: '$response.body#/tier' },
    response: tier,
    errors: ['tier_taken'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const created = await useCases.createTier(caller.authority, {
        tier: fields.tier,
        description: fields.description ?? null,
        ...ruleOf(fields),
      });
      return json(tierView(created));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/rate-limits/tiers/:tier',
    operation: 'updateTier',
    summary: 'Change a tier',
    description: 'Absent fields keep their value. Takes effect with the next request.',
    params: tierParameter,
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: tierChange,
    status: 200,
    response: tier,
    errors: ['tier_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const change = { description: fields.description, ...ruleChangeOf(fields) };
      const changed = await useCases.updateTier(caller.authority, tierNameOf(params.tier), change);
      return json(tierView(changed));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/rate-limits/tiers/:tier',
    operation: 'removeTier',
    summary: 'Delete a tier',
    description: 'Its clients fall back to the default limit.',
    params: tierParameter,
    auth: 'admin',
    scope: 'limits:write',
    status: 200,
    response: message,
    errors: ['tier_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeTier(caller.authority, tierNameOf(params.tier));
      return json({ message: 'Tier deleted' });
    },
  }),
] as const;

const overrideListing = z.object({
  active_only: booleanParameter.default(false).meta({ description: 'Whether to list only active ones.' }),
  include: wordsParameter(['client']).optional().meta({ description: '`client` adds its client.' }),
  limit: pageLimit,
  cursor: numberParameter(1, overrideIdMax)
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
});

const overrideRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/overrides',
    operation: 'listOverrides',
    summary: 'List overrides',
    description:
      'Sorted by id, including inactive ones. Paginated with `limit` or `cursor`: the `Link` header has the next page.',
    auth: 'admin',
    scope: 'limits:write',
    query: overrideListing,
    status: 200,
    supplies: { id: '$response.body#/0/id', client_id: '$response.body#/0/client_id' },
    response: z.array(listedOverride),
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const { active_only: activeOnly, cursor: after = null } = query;
      const limit = query.limit ?? (after === null ? null : pageLimitDefault);
      // One more than the page size, to see whether there is a next page.
      const overrides = await useCases.listClientOverrides(authority, { activeOnly, after, limit: limit && limit + 1 });
      const { page, last } = pageOf(overrides, limit ?? overrides.length);
      const total = query.include_total ? await useCases.countOverrides(authority, activeOnly) : null;
      return json(
        page.map((each) => listedOverrideView(each, query.include !== undefined)),
        pageHeaders(request, last && `${last.override.id}`, total),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/rate-limits/overrides',
    operation: 'createOverride',
    summary: 'Create an override for a client',
    description: 'A client has one active override: a new active one deactivates the previous one.',
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: newOverride,
    status: 201,
    supplies: { id: '$response.body#/id', client_id: '$response.body#/client_id' },
    response: override,
    errors: ['client_not_found'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const client =
        parseId<ClientId>(fields.client_id) ?? (await profileOf(useCases, caller.authority, fields.client_id));
      const created = await useCases.createOverride(caller.authority, client, ruleOf(fields));
      return json(overrideView(created));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/rate-limits/overrides/:id',
    operation: 'updateOverride',
    summary: 'Change an override',
    description: 'Absent fields keep their value.',
    params: overrideParameter,
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: overrideChange,
    status: 200,
    response: override,
    errors: ['override_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const change = ruleChangeOf(fields);
      const changed = await useCases.updateOverride(caller.authority, overrideIdOf(params.id), change);
      return json(overrideView(changed));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/rate-limits/overrides/:id',
    operation: 'removeOverride',
    summary: 'Delete an override',
    description: 'Its client falls back to its tier, or to the default limit.',
    params: overrideParameter,
    auth: 'admin',
    scope: 'limits:write',
    status: 200,
    response: message,
    errors: ['override_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeOverride(caller.authority, overrideIdOf(params.id));
      return json({ message: 'Override deleted' });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/effective/:client_id',
    operation: 'readEffectiveLimit',
    summary: 'Read the limit that applies to a client',
    description: 'For an admin, or for the client itself by either credential.',
    params: apiClientParameter,
    auth: 'token or key',
    scope: 'limits:write',
    status: 200,
    response: effectiveLimit,
    errors: ['admin_required', 'client_not_found'],
    handler: async ({ useCases, caller, params }) =>
      json(
        effectiveLimitView(
          await useCases.readEffectiveLimit(caller.principal, parseId<ClientId>(params.client_id ?? '')),
        ),
      ),
  }),
] as const;

export const limitRoutes = [...tierRoutes, ...overrideRoutes] as const;

const tierNameOf = (text: string | undefined): string => {
  if (text === undefined || !tierNameForm.test(text)) throw new PorticoError('tier_not_found');
  return text;
};

const overrideIdOf = (text: string | undefined): number => {
  const id = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : Infinity;
  if (id > overrideIdMax) throw new PorticoError('override_not_found');
  return id;
};

const ruleOf = (fields: Omit<z.output<typeof newOverride>, 'client_id'>) => ({
  allowed: fields.allowed_limit,
  windowSeconds: fields.window_seconds,
  isActive: fields.is_active ?? true,
});

/** Returns the change to a limit; absent fields keep their values. */
const ruleChangeOf = (fields: z.output<typeof overrideChange>) => ({
  allowed: fields.allowed_limit ?? undefined,
  windowSeconds: fields.window_seconds ?? undefined,
  isActive: fields.is_active ?? undefined,
});

const tierView = (from: Tier): z.input<typeof tier> => ({
  tier: from.tier,
  allowed_limit: from.allowed,
  window_seconds: from.windowSeconds,
  description: from.description,
  is_active: from.isActive,
  created_at: toIso(from.createdAt),
  updated_at: toIso(from.updatedAt),
});

const overrideView = (from: Override): z.input<typeof override> => ({
  id: from.id,
  client_id: from.clientId,
  allowed_limit: from.allowed,
  window_seconds: from.windowSeconds,
  is_active: from.isActive,
  created_at: toIso(from.createdAt),
  updated_at: toIso(from.updatedAt),
});

const listedOverrideView = (
  { override: from, client }: ClientOverride,
  withClient: boolean,
): z.input<typeof listedOverride> => ({
  ...overrideView(from),
  ...(withClient ? { profile_id: client.id, email: client.email, full_name: client.fullName } : {}),
});

const effectiveLimitView = (from: ClientLimit): z.input<typeof effectiveLimit> => ({
  client_id: from.clientId,
  allowed_limit: from.rule.allowed,
  window_seconds: from.rule.windowSeconds,
  source: from.source,
  tier: from.tier,
  override_id: from.overrideId,
  remaining: from.usage.remaining,
  reset_seconds: from.usage.resetSeconds,
});
