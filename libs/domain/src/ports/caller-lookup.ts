import type { CallerRow, Target, TargetPart, TargetParts } from '../access/principal.ts';
import type { ClientId, ProfileId } from '../ids.ts';

/**
 * The hot read: who is calling, what limits them and what they may do with one collection, in one statement and from the
 * primary copy, so that each answer reflects every write that was acknowledged before the call. Nothing is cached.
 */
export interface CallerLookup {
  /** By API client identifier; also while it is asleep (an admin's). Null where it is unknown. */
  byClientId<Part extends TargetPart = 'head'>(
    clientId: ClientId,
    target: Target<Part> | null,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** By the identity provider's user id. Null where no profile has it. */
  byUid<Part extends TargetPart = 'head'>(
    uid: string,
    target: Target<Part> | null,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** By API client identifier or, failing that, by profile id. Null where it is neither. */
  byEitherId(id: ClientId | ProfileId): Promise<CallerRow | null>;
}
