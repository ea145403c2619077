import { toIso, type ClientLimitStatus } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { numberParameter, shareParameter } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { timestamp, uuid } from './wire.ts';

const standing = z.object({
  profile_id: uuid,
  client_id: uuid.nullable().meta({ description: 'null if the profile has no API credentials.' }),
  email: z.string(),
  full_name: z.string(),
  source: z.enum(['override', 'tier', 'default']).meta({ description: 'Sets the limit.' }),
  tier: z.string().nullable().meta({ description: "The active tier, its own or a group's." }),
  override_id: z.int().nullable(),
  allowed_limit: z.int(),
  window_seconds: z.int(),
  used: z.int().meta({ description: 'Counted requests in the window that ends now.' }),
  remaining: z.int(),
  reset_seconds: z.int().meta({ description: 'Until the oldest counted request leaves the window.' }),
  resets_at: timestamp.meta({ description: 'That time.' }),
  retry_after: z.int().meta({ description: 'Seconds until a request would be admitted; 0 if now.' }),
});
const standings = z
  .object({
    scope: z.enum(['all', 'process']).meta({
      description:
        'The counts of all processes, which count together in Redis, or of this process alone: without Redis, or ' +
        'while it is unavailable. Other processes then count separately.',
    }),
    total: z.int().meta({ description: 'The number of clients, listed or not.' }),
    clients: z.array(standing),
  })
  .meta({ id: 'LimitStandings' });

export const limitStatusRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/standing',
    operation: 'readLimitStandings',
    summary: 'List the clients near their limit',
    description:
      'Those that have used at least this share of their limit in the window that ends now, the largest share first, then ' +
      'by e-mail. A client that is rejected now has used all of it. Reading it does not count.',
    auth: 'admin',
    scope: 'limits:write',
    query: z.object({
      at_least: shareParameter.default(0.8).meta({ description: 'The share, from 0 (any use) to 1 (all of it).' }),
      limit: numberParameter(1, 1_000).default(50).meta({ description: 'The maximum number of clients.' }),
    }),
    status: 200,
    response: standings,
    handler: async ({ useCases, caller, query }) => {
      const standingsQuery = { atLeast: query.at_least, limit: query.limit };
      const { scope, total, standings: listed } = await useCases.readLimitStatus(caller.authority, standingsQuery);
      return json({ scope, total, clients: listed.map(limitStatusView) });
    },
  }),
] as const;

const limitStatusView = (from: ClientLimitStatus): z.input<typeof standing> => ({
  profile_id: from.client.id,
  client_id: from.client.clientId,
  email: from.client.email,
  full_name: from.client.fullName,
  source: from.source,
  tier: from.tier,
  override_id: from.overrideId,
  allowed_limit: from.rule.allowed,
  window_seconds: from.rule.windowSeconds,
  used: from.used,
  remaining: from.remaining,
  reset_seconds: from.resetSeconds,
  resets_at: toIso(from.resetsAt),
  retry_after: from.retryAfterSeconds,
});
