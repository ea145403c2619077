import {
  allowedMax,
  parseId,
  PorticoError,
  tierDescriptionMax,
  tierNamePattern,
  tierNameMax,
  windowSecondsMax,
  type ClientId,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
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
import {
  effectiveLimit,
  listedOverride,
  override,
  tier,
  toEffectiveLimitView,
  toListedOverrideView,
  toOverrideView,
  toTierView,
} from './limit-views.ts';
import { includeTotal, createPageHeaders, pageLimit, pageLimitDefault, pageOf } from './paging.ts';
import { resolveProfileId } from './profile-path.ts';
import { message } from './wire.ts';

const allowedLimit = wholeNumber(1, allowedMax).meta({
  description: 'The number of requests allowed in a window.',
  examples: [600],
});
const windowSeconds = wholeNumber(1, windowSecondsMax).meta({
  description: 'The length of the window.',
  examples: [60],
});
const tierDescription = text({ max: tierDescriptionMax });

const newTier = z
  .object({
    tier: text({ max: tierNameMax })
      .refine((value) => tierNamePattern.test(value), {
        error: 'must consist of a-z, 0-9, "_" and "-", and start with a letter or digit',
      })
      .meta({ pattern: tierNamePattern.source, examples: ['gold'] }),
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
      description: 'null or an empty string clears the description.',
      examples: ['For partners.'],
    }),
    is_active: optional(z.boolean()),
  })
  .meta({ id: 'TierChange' });
const newOverride = z
  .object({
    client_id: text({ max: 128 }).meta({
      description: 'The API client identifier; the id or email address of the profile is also accepted.',
      examples: ['3f2d8c5e-9b7a-4d61-8f0e-5c4b3a291807'],
    }),
    allowed_limit: allowedLimit,
    window_seconds: windowSeconds,
    is_active: optional(z.boolean()).meta({ default: true }),
  })
  .meta({ id: 'NewOverride' });
const overrideChange = tierChange.omit({ description: true }).meta({ id: 'OverrideChange' });

const tierParameter = {
  tier: {
    description: "The tier's name.",
    schema: { type: 'string', pattern: tierNamePattern.source },
    example: 'gold',
  },
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
    description: 'The API client identifier; the id of the profile is also accepted.',
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
    linkParameters: { tier: '$response.body#/0/tier' },
    response: z.array(tier),
    handler: async ({ useCases }) => toJsonResponse((await useCases.listTiers(false)).map(toTierView)),
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
    handler: async ({ useCases }) => toJsonResponse((await useCases.listTiers(true)).map(toTierView)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/rate-limits/tiers',
    operation: 'createTier',
    summary: 'Create a tier',
    description: 'The tier limits its clients as of their next request.',
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: newTier,
    status: 201,
    linkParameters: { tier: '$response.body#/tier' },
    response: tier,
    errors: ['tier_taken'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const createdTier = await useCases.createTier(caller.authority, {
        tier: fields.tier,
        description: fields.description ?? null,
        ...ruleOf(fields),
      });
      return toJsonResponse(toTierView(createdTier));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/rate-limits/tiers/:tier',
    operation: 'updateTier',
    summary: 'Change a tier',
    description: 'Absent fields keep their value. Takes effect as of the next request.',
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
      const updatedTier = await useCases.updateTier(caller.authority, tierNameOf(params.tier), change);
      return toJsonResponse(toTierView(updatedTier));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/rate-limits/tiers/:tier',
    operation: 'removeTier',
    summary: 'Delete a tier',
    description: 'The default limit then applies to the clients of the tier.',
    params: tierParameter,
    auth: 'admin',
    scope: 'limits:write',
    status: 200,
    response: message,
    errors: ['tier_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeTier(caller.authority, tierNameOf(params.tier));
      return toJsonResponse({ message: 'Tier deleted' });
    },
  }),
] as const;

const overrideListQuery = z.object({
  active_only: booleanParameter.default(false).meta({ description: 'Whether to list only active overrides.' }),
  include: wordsParameter(['client']).optional().meta({ description: '`client` adds the client of each override.' }),
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
      'Sorted by id, including inactive overrides. Paginated with `limit` or `cursor`: the `Link` header has the next page.',
    auth: 'admin',
    scope: 'limits:write',
    query: overrideListQuery,
    status: 200,
    linkParameters: { id: '$response.body#/0/id', client_id: '$response.body#/0/client_id' },
    response: z.array(listedOverride),
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const { active_only: activeOnly, cursor: after = null } = query;
      const limit = query.limit ?? (after === null ? null : pageLimitDefault);
      // One more than the page size, to see whether there is a next page.
      const overrides = await useCases.listClientOverrides(authority, { activeOnly, after, limit: limit && limit + 1 });
      const { page, last } = pageOf(overrides, limit ?? overrides.length);
      const total = query.include_total ? await useCases.countOverrides(authority, activeOnly) : null;
      return toJsonResponse(
        page.map((listedEntry) => toListedOverrideView(listedEntry, query.include !== undefined)),
        createPageHeaders(request, last && `${last.override.id}`, total),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/rate-limits/overrides',
    operation: 'createOverride',
    summary: 'Create an override for a client',
    description: 'A client has at most one active override: creating an active override deactivates the previous one.',
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: newOverride,
    status: 201,
    linkParameters: { id: '$response.body#/id', client_id: '$response.body#/client_id' },
    response: override,
    errors: ['client_not_found'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const client =
        parseId<ClientId>(fields.client_id) ?? (await resolveProfileId(useCases, caller.authority, fields.client_id));
      const createdOverride = await useCases.createOverride(caller.authority, client, ruleOf(fields));
      return toJsonResponse(toOverrideView(createdOverride));
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
      const updatedOverride = await useCases.updateOverride(caller.authority, overrideIdOf(params.id), change);
      return toJsonResponse(toOverrideView(updatedOverride));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/rate-limits/overrides/:id',
    operation: 'removeOverride',
    summary: 'Delete an override',
    description: 'The tier of the client then applies, or the default limit.',
    params: overrideParameter,
    auth: 'admin',
    scope: 'limits:write',
    status: 200,
    response: message,
    errors: ['override_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeOverride(caller.authority, overrideIdOf(params.id));
      return toJsonResponse({ message: 'Override deleted' });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/effective/:client_id',
    operation: 'readEffectiveLimit',
    summary: 'Read the limit that applies to a client',
    description: 'For administrators, and for the client itself, with either credential.',
    params: apiClientParameter,
    auth: 'token or key',
    scope: 'limits:write',
    status: 200,
    response: effectiveLimit,
    errors: ['admin_required', 'client_not_found'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(
        toEffectiveLimitView(
          await useCases.readEffectiveLimit(caller.principal, parseId<ClientId>(params.client_id ?? '')),
        ),
      ),
  }),
] as const;

export const limitRoutes = [...tierRoutes, ...overrideRoutes] as const;

const tierNameOf = (text: string | undefined): string => {
  if (text === undefined || !tierNamePattern.test(text)) throw new PorticoError('tier_not_found');
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
