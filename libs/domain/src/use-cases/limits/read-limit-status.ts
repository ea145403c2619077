import type { AdminAuthority } from '../../access/principal.ts';
import type { Instant } from '../../instant.ts';
import {
  clientSubjectOf,
  type EffectiveLimit,
  effectiveLimitOf,
  type LimitedClient,
  type LimiterScope,
} from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';

/** How close a client is to its limit at this moment. */
export interface ClientLimitStatus extends EffectiveLimit {
  readonly client: Omit<LimitedClient, 'limits'>;
  /** The number of counted requests in the window that ends now, at most the allowed number. */
  readonly used: number;
  readonly remaining: number;
  /** When the oldest counted request leaves the window. */
  readonly resetsAt: Instant;
  /** Whole seconds until then, at least 1. */
  readonly resetSeconds: number;
  /** Whole seconds until a request would be admitted; 0 if one would be admitted now. */
  readonly retryAfterSeconds: number;
}

export interface LimitStatuses {
  /** Whether all requests are counted, or only those to the responding process. */
  readonly scope: LimiterScope;
  /** The number of clients that have used that share, whether listed or not. */
  readonly total: number;
  /** The clients, sorted by used share, largest first, then by email. */
  readonly statuses: readonly ClientLimitStatus[];
}

/** Returns at most `limit` clients that have used at least that share of their limit. Counts nothing. */
export const readLimitStatus =
  ({ limits, limiter, clock }: Pick<Ports, 'limits' | 'limiter' | 'clock'>, { defaultLimit }: Settings) =>
  async (
    _authority: AdminAuthority,
    { atLeast, limit }: { readonly atLeast: number; readonly limit: number },
  ): Promise<LimitStatuses> => {
    const clients = (await limits.listClients()).map(({ limits: clientLimits, ...client }) => ({
      client,
      effective: effectiveLimitOf(clientLimits, defaultLimit),
    }));
    const { results, scope } = await limiter.peekMany(
      clients.map(({ client, effective }) => ({ subject: clientSubjectOf(client.id), rule: effective.rule })),
    );
    const now = clock.now();
    const statuses = clients.flatMap(({ client, effective }, index): ClientLimitStatus[] => {
      const result = results[index];
      const used = result ? effective.rule.allowed - result.remaining : 0;
      if (!result || used === 0 || used < atLeast * effective.rule.allowed) return [];
      const { remaining, resetSeconds, retryAfterSeconds } = result;
      const resetsAt = now + resetSeconds * 1_000;
      return [{ ...effective, client, used, remaining, resetsAt, resetSeconds, retryAfterSeconds }];
    });
    // The sort is stable, and the clients are sorted by email.
    const sorted = statuses.sort((a, b) => shareOf(b) - shareOf(a));
    return { scope, total: sorted.length, statuses: sorted.slice(0, limit) };
  };

const shareOf = ({ used, rule }: ClientLimitStatus): number => used / rule.allowed;
