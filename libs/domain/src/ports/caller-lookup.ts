import type { AccountRow, CallerRow, Target, TargetPart, TargetParts } from '../access/principal.ts';
import type { ClientId, ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/**
 * The hot read: who is calling, their limits, and their access to one collection. One statement on the primary and no
 * cache, so that each answer reflects every write acknowledged before the call. Grants are judged by the moment `now`.
 */
export interface CallerLookup {
  /** By API client identifier, even one whose key is asleep (an admin's). Null if it is unknown. */
  byClientId<Part extends TargetPart = 'head'>(
    clientId: ClientId,
    target: Target<Part> | null,
    now: Instant,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** By the identity provider's user id. Null if no profile has it. */
  byUid<Part extends TargetPart = 'head'>(
    uid: string,
    target: Target<Part> | null,
    now: Instant,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** By API client identifier or, failing that, by profile id. Null if it is neither. */
  byEitherId(id: ClientId | ProfileId, now: Instant): Promise<CallerRow | null>;
  /** A service account, expired or not. Null if there is none with that id. */
  byAccountId<Part extends TargetPart = 'head'>(
    id: ServiceAccountId,
    target: Target<Part> | null,
  ): Promise<AccountRow<TargetParts[Part]> | null>;
}
