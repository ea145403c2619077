import type { AccountRow, CallerRow, Target, TargetDetail, TargetDetails } from '../access/principal.ts';
import type { ClientId, ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/**
 * The query on the hot path: who is calling, their limits, and their access to one collection. It is a single uncached
 * statement on the primary, so that each result reflects every write acknowledged before the call. Grants are evaluated
 * at the time `now`.
 */
export interface CallerLookup {
  /**
   * Looks up a caller by API client identifier, even if its key is dormant (an admin's). Returns null if the identifier
   * is unknown.
   */
  findByClientId<Detail extends TargetDetail = 'head'>(
    clientId: ClientId,
    target: Target<Detail> | null,
    now: Instant,
  ): Promise<CallerRow<TargetDetails[Detail]> | null>;
  /** Looks up a caller by the identity provider's user id. Returns null if no profile has it. */
  findByUid<Detail extends TargetDetail = 'head'>(
    uid: string,
    target: Target<Detail> | null,
    now: Instant,
  ): Promise<CallerRow<TargetDetails[Detail]> | null>;
  /** Looks up a caller by API client identifier or, failing that, by profile id. Returns null if neither matches. */
  findByEitherId(id: ClientId | ProfileId, now: Instant): Promise<CallerRow | null>;
  /** Looks up a service account, expired or not. Returns null if no account has that id. */
  findByAccountId<Detail extends TargetDetail = 'head'>(
    id: ServiceAccountId,
    target: Target<Detail> | null,
  ): Promise<AccountRow<TargetDetails[Detail]> | null>;
}
