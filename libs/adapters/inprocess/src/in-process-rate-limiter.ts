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
   * The path of the file that preserves the counts across restarts; without one, they are lost when the process ends.
   * An unreadable file is an error.
   */
  readonly stateFile?: string;
  /** Receives the reason why a state file cannot be used: it is corrupt, from a different version or too old. */
  readonly log?: Pick<Log, 'warn'>;
}

export interface InProcessRateLimiter extends RateLimiter {
  /** The number of stored subjects. */
  readonly subjects: number;
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
  #toExamine = this.#subjects.entries();
  #closing: Promise<void> | null = null;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  get subjects(): number {
    return this.#subjects.size;
  }

  async consume(name: string, rule: LimitRule): Promise<RateLimitResult> {
    const now = this.#now();
    const known = this.#subjects.get(name);
    const subject = known ?? { history: new AdmissionHistory(), longestWindowSeconds: 0 };
    const { history } = subject;
    const admitted = history.countWindow(now, rule).counted < rule.allowed;
    if (admitted) history.admit(now, rule);
    extendRetention(rule, subject);
    if (!known) this.#subjects.set(name, subject);
    // Two subjects are examined for each new one, so that removal outpaces growth.
    this.#forgetIdle(now, known ? 1 : 2);
    return resultOf(rule, admitted, history.countWindow(now, rule), now);
  }

  async peek(name: string, rule: LimitRule): Promise<RateLimitResult> {
    const now = this.#now();
    const subject = this.#subjects.get(name);
    if (subject) extendRetention(rule, subject);
    const windowCount = (subject?.history ?? new AdmissionHistory()).countWindow(now, rule);
    return resultOf(rule, windowCount.counted < rule.allowed, windowCount, now);
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

  #now(): Ticks {
    return Math.round(this.#options.clock.monotonic() * 1000);
  }

  /** Examines the next few subjects, and removes those that have no admissions in any window. */
  #forgetIdle(now: Ticks, examined: number): void {
    for (let i = 0; i < examined; i++) {
      const next = this.#toExamine.next();
      if (next.done) {
        this.#toExamine = this.#subjects.entries();
        return;
      }
      const [name, subject] = next.value;
      if (isIdle(subject, now)) this.#subjects.delete(name);
    }
  }

  async #restore(stateFile: string): Promise<void> {
    const state = await takeRateLimitState(stateFile);
    if (!state) return;
    const wallNow = this.#options.clock.now();
    if (wallNow - state.savedAt >= windowSecondsMax * 1000) throw new UnusableState(`${stateFile} is too old`);
    const now = this.#now();
    for (const saved of state.subjects) {
      const { longestWindowSeconds } = saved;
      const subject = { history: AdmissionHistory.from(saved, now - wallNow * 1000, now), longestWindowSeconds };
      if (!isIdle(subject, now)) this.#subjects.set(saved.subject, subject);
    }
  }

  async #save(): Promise<void> {
    const { stateFile, clock } = this.#options;
    if (stateFile === undefined) return;
    const [now, savedAt] = [this.#now(), clock.now()];
    const subjects = [...this.#subjects]
      .filter(([, subject]) => !isIdle(subject, now))
      .map(([subject, { history, longestWindowSeconds }]): SavedSubject => {
        return { subject, longestWindowSeconds, ...history.saved(savedAt * 1000 - now) };
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
  admitted: boolean,
  { counted, oldestAt, freeAt }: WindowCount,
  now: Ticks,
): RateLimitResult => ({
  rule,
  admitted,
  remaining: Math.max(0, rule.allowed - counted),
  resetSeconds: counted === 0 ? 0 : secondsUntil(oldestAt + rule.windowSeconds * ticksPerSecond, now),
  retryAfterSeconds: counted < rule.allowed ? 0 : secondsUntil(freeAt, now),
});

const secondsUntil = (time: Ticks, now: Ticks): number => Math.ceil((time - now) / ticksPerSecond);
