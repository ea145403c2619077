import type { Expiry } from '../grants/expiry.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

/** Which ends are looked at: those after `after` and not later than `until`. */
export interface ExpirySpan {
  readonly after: Instant;
  readonly until: Instant;
}

export interface SoonestEnds {
  readonly total: number;
  /** The first to end first, then by e-mail, collection (the API key first) and group (the own grant first). */
  readonly first: readonly Expiry[];
}

/** What ends when: the grants of approved clients that are not suspended, those of their groups, and their API keys. */
export interface ExpiryStore {
  /** The ends of one profile; at most `limit` of them. */
  ofProfile(profile: ProfileId, span: ExpirySpan, limit: number): Promise<SoonestEnds>;

  /** The ends of all profiles; at most `limit` of them. */
  ofAll(span: ExpirySpan, limit: number): Promise<SoonestEnds>;

  /**
   * Announces ends once for each day (days since 1970-01-01, UTC), in one transaction: `decide` gets the profiles of which
   * something ends after `now`, and one of `noticeDays` days after a day that has not been announced yet, `today`
   * included; the very first time that is today alone. Ids in code-point order, each once. Returns false, and changes
   * nothing, if today or a later day has been announced. Of concurrent calls, one announces.
   */
  announce(
    today: number,
    noticeDays: readonly number[],
    now: Instant,
    decide: (profiles: readonly ProfileId[]) => Effects,
  ): Promise<boolean>;
}
