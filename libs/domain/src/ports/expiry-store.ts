import type { Expiry } from '../grants/expiry.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

/** The period whose expiries are requested: after `after`, up to and including `until`. */
export interface ExpiryWindow {
  readonly after: Instant;
  readonly until: Instant;
}

export interface UpcomingExpiries {
  readonly total: number;
  /** Sorted by expiry time, then by email, collection (the API key first) and group (the client's own grant first). */
  readonly expiries: readonly Expiry[];
}

/** The expiries of the grants (their own and their groups') and API keys of approved clients that are not suspended. */
export interface ExpiryStore {
  /** Returns the expiries of one profile, at most `limit` of them. */
  listByProfile(profile: ProfileId, window: ExpiryWindow, limit: number): Promise<UpcomingExpiries>;

  /** Returns the expiries of all profiles, at most `limit` of them. */
  listAll(window: ExpiryWindow, limit: number): Promise<UpcomingExpiries>;

  /**
   * Schedules expiry notices once for each day (days since 1970-01-01, UTC), in one transaction. `decide` gets the
   * profiles with a grant or key that expires after `now`, and does so one of `noticeDays` days after a day that has
   * not been processed yet, including `today`; on the very first call, today is the only such day. Each id occurs once,
   * in code-point order. Returns false, and changes nothing, if today or a later day has been processed. Exactly one of
   * several concurrent calls schedules the notices.
   */
  scheduleNotices(
    today: number,
    noticeDays: readonly number[],
    now: Instant,
    decide: (profiles: readonly ProfileId[]) => Effects,
  ): Promise<boolean>;
}
