import { toIso, type ClientLimitStatus } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { numberParameter, shareParameter } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { timestamp, uuid } from './wire.ts';

const limitStatus = z.object({
  profile_id: uuid,
  client_id: uuid.nullable().meta({ description: 'null if the profile has no API credentials.' }),
  email: z.string(),
  full_name: z.string(),
  source: z.enum(['override', 'tier', 'default']).meta({ description: 'The origin of the limit.' }),
  tier: z.string().nullable().meta({ description: 'The active tier of the client or of its group.' }),
  override_id: z.int().nullable(),
  allowed_limit: z.int(),
  window_seconds: z.int(),
  used: z.int().meta({ description: 'The number of counted requests in the window that ends now.' }),
  remaining: z.int(),
  reset_seconds: z.int().meta({ description: 'Seconds until the oldest counted request leaves the window.' }),
  resets_at: timestamp.meta({ description: 'The time when the oldest counted request leaves the window.' }),
  retry_after: z
    .int()
    .meta({ description: 'Seconds until a request would be admitted; 0 if it would be admitted now.' }),
});
const limitStatusList = z
  .object({
    scope: z.enum(['all', 'process']).meta({
      description:
        '`all`: all processes count together in Redis. `process`: the counts of this process only, because there is no Redis or ' +
        'it is unavailable; other processes count separately.',
    }),
    total: z.int().meta({ description: 'The total number of clients, whether listed or not.' }),
    clients: z.array(limitStatus),
  })
  .meta({ id: 'LimitStandings' });

export const limitStatusRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/rate-limits/standing',
    operation: 'readLimitStandings',
    summary: 'List the clients near their limit',
    description:
      'Lists the clients that have used at least this share of their limit in the window that ends now, sorted by share, largest first, then ' +
      'by email address. A client that is currently rejected has used all of its limit. This request is not counted.',
    auth: 'admin',
    scope: 'limits:write',
    query: z.object({
      at_least: shareParameter
        .default(0.8)
        .meta({ description: 'The minimum share, from 0 (any use) to 1 (the whole limit).' }),
      limit: numberParameter(1, 1_000).default(50).meta({ description: 'The maximum number of clients.' }),
    }),
    status: 200,
    response: limitStatusList,
    handler: async ({ useCases, caller, query }) => {
      const limitStatusQuery = { atLeast: query.at_least, limit: query.limit };
      const { scope, total, statuses: clients } = await useCases.readLimitStatus(caller.authority, limitStatusQuery);
      return toJsonResponse({ scope, total, clients: clients.map(toLimitStatusView) });
    },
  }),
] as const;

const toLimitStatusView = (row: ClientLimitStatus): z.input<typeof limitStatus> => ({
  profile_id: row.client.id,
  client_id: row.client.clientId,
  email: row.client.email,
  full_name: row.client.fullName,
  source: row.source,
  tier: row.tier,
  override_id: row.overrideId,
  allowed_limit: row.rule.allowed,
  window_seconds: row.rule.windowSeconds,
  used: row.used,
  remaining: row.remaining,
  reset_seconds: row.resetSeconds,
  resets_at: toIso(row.resetsAt),
  retry_after: row.retryAfterSeconds,
});
