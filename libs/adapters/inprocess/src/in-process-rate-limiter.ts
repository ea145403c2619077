import { createYielder, type Log } from '@portico/dependencies';
import {
  type RateLimitQuery,
  type Clock,
  type LimitRule,
  type RateLimitResults,
  type RateLimitResult,
  type RateLimiter,
  windowSecondsMax,
} from '@portico/domain';
import { AdmissionHistory, type WindowCount, type Ticks, ticksPerSecond } from './admission-history.ts';
import { type SavedSubject, takeRateLimitState, UnusableState, writeRateLimitState } from './rate-limit-state.ts';

export interface RateLimiterOptions {
  readonly clock: Clock;
  /**
   * The path of the file that preserves the counts across restarts; without one, they are lost when the process exits.
   * An unreadable file is an error.
   */
  readonly stateFile?: string;
  /** Receives the reason why a state file cannot be used: it is corrupt, from a different version or too old. */
  readonly log?: Pick<Log, 'warn'>;
}

export interface InProcessRateLimiter extends RateLimiter {
  /** The number of stored subjects. */
  readonly subjectCount: number;
  /** Writes the state file; rejects if that fails. Later counts are not saved. */
  close(): Promise<void>;
}

/**
 * Creates a limiter that counts in this process only, using the monotonic clock, so changing the machine's clock does
 * not affect the results. A subject is removed once its last admission has left the longest window ever applied to it.
 */
export const createInProcessRateLimiter = async (options: RateLimiterOptions): Promise<InProcessRateLimiter> => {
  const limiter = new Limiter(options);
  await limiter.open();
  return limiter;
};

interface Subject {
  readonly history: AdmissionHistory;
  longestWindowSeconds: number;
}

class Limiter implements InProcessRateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #subjects = new Map<string, Subject>();
  #subjectIterator = this.#subjects.entries();
  #closing: Promise<void> | null = null;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  get subjectCount(): number {
    return this.#subjects.size;
  }

  async consume(name: string, rule: LimitRule): Promise<RateLimitResult> {
    const now = this.#getNow();
    const knownSubject = this.#subjects.get(name);
    const subject = knownSubject ?? { history: new AdmissionHistory(), longestWindowSeconds: 0 };
    const { history } = subject;
    const isAdmitted = history.countWindow(now, rule).count < rule.allowed;
    if (isAdmitted) history.admit(now, rule);
    extendRetention(rule, subject);
    if (!knownSubject) this.#subjects.set(name, subject);
    // Two subjects are examined for each new one, so that removal outpaces growth.
    this.#forgetIdle(now, knownSubject ? 1 : 2);
    return resultOf(rule, isAdmitted, history.countWindow(now, rule), now);
  }

  async peek(name: string, rule: LimitRule): Promise<RateLimitResult> {
    const now = this.#getNow();
    const subject = this.#subjects.get(name);
    if (subject) extendRetention(rule, subject);
    const windowCount = (subject?.history ?? new AdmissionHistory()).countWindow(now, rule);
    return resultOf(rule, windowCount.count < rule.allowed, windowCount, now);
  }

  async peekMany(queries: readonly RateLimitQuery[]): Promise<RateLimitResults> {
    const yieldToEventLoop = createYielder();
    const results: RateLimitResult[] = [];
    for (const { subject, rule } of queries) {
      results.push(await this.peek(subject, rule));
      await yieldToEventLoop();
    }
    return { results, scope: 'process' };
  }

  /** Restores the counts from the state file. */
  async open(): Promise<void> {
    const { stateFile, log } = this.#options;
    if (stateFile === undefined) return;
    try {
      await this.#restore(stateFile);
    } catch (error) {
      if (!(error instanceof UnusableState)) throw error;
      log?.warn({}, `Rate limits start from zero: ${error.message}`);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#save());
  }

  #getNow(): Ticks {
    return Math.round(this.#options.clock.monotonic() * 1000);
  }

  /** Examines the next few subjects, and removes those that have no admissions in any window. */
  #forgetIdle(now: Ticks, count: number): void {
    for (let i = 0; i < count; i++) {
      const next = this.#subjectIterator.next();
      if (next.done) {
        this.#subjectIterator = this.#subjects.entries();
        return;
      }
      const [name, subject] = next.value;
      if (isIdle(subject, now)) this.#subjects.delete(name);
    }
  }

  async #restore(stateFile: string): Promise<void> {
    const state = await takeRateLimitState(stateFile);
    if (!state) return;
    const wallClockNow = this.#options.clock.now();
    if (wallClockNow - state.savedAt >= windowSecondsMax * 1000) throw new UnusableState(`${stateFile} is too old`);
    const now = this.#getNow();
    for (const savedSubject of state.subjects) {
      const { longestWindowSeconds } = savedSubject;
      const subject = {
        history: AdmissionHistory.from(savedSubject, now - wallClockNow * 1000, now),
        longestWindowSeconds,
      };
      if (!isIdle(subject, now)) this.#subjects.set(savedSubject.subject, subject);
    }
  }

  async #save(): Promise<void> {
    const { stateFile, clock } = this.#options;
    if (stateFile === undefined) return;
    const [now, savedAt] = [this.#getNow(), clock.now()];
    const subjects = [...this.#subjects]
      .filter(([, subject]) => !isIdle(subject, now))
      .map(([subject, { history, longestWindowSeconds }]): SavedSubject => {
        return { subject, longestWindowSeconds, ...history.toSavedHistory(savedAt * 1000 - now) };
      });
    await writeRateLimitState(stateFile, { savedAt, subjects });
  }
}

const extendRetention = ({ windowSeconds }: LimitRule, subject: Subject): void => {
  subject.longestWindowSeconds = Math.max(subject.longestWindowSeconds, windowSeconds);
};

const isIdle = ({ history, longestWindowSeconds }: Subject, now: Ticks): boolean =>
  now - history.lastAdmittedAt >= longestWindowSeconds * ticksPerSecond;

const resultOf = (
  rule: LimitRule,
  isAdmitted: boolean,
  { count, oldestAt, nextAdmissionAt }: WindowCount,
  now: Ticks,
): RateLimitResult => ({
  rule,
  isAdmitted,
  remaining: Math.max(0, rule.allowed - count),
  resetSeconds: count === 0 ? 0 : countSecondsUntil(oldestAt + rule.windowSeconds * ticksPerSecond, now),
  retryAfterSeconds: count < rule.allowed ? 0 : countSecondsUntil(nextAdmissionAt, now),
});

const countSecondsUntil = (time: Ticks, now: Ticks): number => Math.ceil((time - now) / ticksPerSecond);
