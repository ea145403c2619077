import type { Log } from '@portico/dependencies';
import { openRedis, RedisAway, RedisRefusal } from './redis-connection.ts';
import { isTooOld, losesJobs, readServerFacts, shown, unfitMode, type ServerFacts } from './server-facts.ts';

/** What is found out about a Redis. Null or false where the server forbids INFO. */
export interface InspectedRedis {
  readonly version: string | null;
  readonly isTooOld: boolean;
  readonly maxmemoryPolicy: string | null;
  /** Whether it drops jobs when its memory is full. */
  readonly losesJobs: boolean;
  /** Whether it only copies another server, and accepts no writes. */
  readonly isReplica: boolean;
  /** That it is a Sentinel or a node of a Cluster, as a part of a sentence; null for a server of its own. */
  readonly unfitMode: string | null;
  /** How it refuses what limiter and job queue do: keys written and read by a script. Null if it does not. */
  readonly refusal: string | null;
}

/**
 * Signs in and asks; writes two keys to a primary, and removes them at once. Rejects with a `RedisAway` that
 * says why, without the password.
 */
export const inspectRedis = async ({ url }: { readonly url: string }): Promise<InspectedRedis> => {
  let why: string | null = null;
  const keep = (_fields: object, message: string) => {
    why = message;
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: keep, error: keep };
  const connection = await openRedis({ url, log, timeoutMs: answerMs });
  try {
    const info = await unlessRefused(connection.ask((client) => client.info()));
    const facts = info.refusal === null ? readServerFacts(info.answer) : unknown;
    // A replica refuses every write, and the connection would be given up.
    if (facts.role === 'slave') return { ...inspected(facts), refusal: null };
    const used = await unlessRefused(
      connection.ask(async (client) => {
        for (const key of checkKeys) await client.eval(writeAndRead, 1, key);
      }),
    );
    return { ...inspected(facts), refusal: used.refusal };
  } catch (error) {
    throw error instanceof RedisAway && why !== null ? new RedisAway(why) : error;
  } finally {
    await connection.close();
  }
};

/** Nobody waits for these answers. */
const answerMs = 1_500;
const unknown: ServerFacts = { version: null, maxmemoryPolicy: null, role: null, mode: null };

/** As those of the limiter and of the job queue begin. */
const checkKeys = ['portico:check', '{portico:check}'];
const writeAndRead = `redis.call('set', KEYS[1], '') redis.call('get', KEYS[1]) return redis.call('del', KEYS[1])`;

const unlessRefused = async <Answer>(
  asked: Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly refusal: null } | { readonly refusal: string }> => {
  try {
    return { answer: await asked, refusal: null };
  } catch (error) {
    if (error instanceof RedisRefusal) return { refusal: error.message };
    throw error;
  }
};

const inspected = (facts: ServerFacts): Omit<InspectedRedis, 'refusal'> => ({
  version: facts.version === null ? null : shown(facts.version),
  isTooOld: isTooOld(facts),
  maxmemoryPolicy: facts.maxmemoryPolicy === null ? null : shown(facts.maxmemoryPolicy),
  losesJobs: losesJobs(facts),
  isReplica: facts.role === 'slave',
  unfitMode: unfitMode(facts),
});
