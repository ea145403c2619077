import type { AccountRow, CallerRow, Target, TargetPart, TargetParts } from '../access/principal.ts';
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
  byClientId<Part extends TargetPart = 'head'>(
    clientId: ClientId,
    target: Target<Part> | null,
    now: Instant,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** Looks up a caller by the identity provider's user id. Returns null if no profile has it. */
  byUid<Part extends TargetPart = 'head'>(
    uid: string,
    target: Target<Part> | null,
    now: Instant,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** Looks up a caller by API client identifier or, failing that, by profile id. Returns null if neither matches. */
  byEitherId(id: ClientId | ProfileId, now: Instant): Promise<CallerRow | null>;
  /** Looks up a service account, expired or not. Returns null if no account has that id. */
  byAccountId<Part extends TargetPart = 'head'>(
    id: ServiceAccountId,
    target: Target<Part> | null,
  ): Promise<AccountRow<TargetParts[Part]> | null>;
}
