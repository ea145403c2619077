import type { Log } from '@portico/dependencies';
import { openRedis, RedisAway, RedisRefusal } from './redis-connection.ts';
import { isTooOld, losesJobs, readServerFacts, shown, type ServerFacts } from './server-facts.ts';

/** What is found out about a Redis without writing to it. Null or false where the server forbids INFO. */
export interface InspectedRedis {
  readonly version: string | null;
  readonly isTooOld: boolean;
  readonly maxmemoryPolicy: string | null;
  /** Whether it drops jobs when its memory is full. */
  readonly losesJobs: boolean;
  /** Whether it only copies another server, and accepts no writes. */
  readonly isReplica: boolean;
}

/** Signs in and asks once. Rejects with a `RedisAway` that says why, without the password. */
export const inspectRedis = async ({ url }: { readonly url: string }): Promise<InspectedRedis> => {
  let why: string | null = null;
  const keep = (_fields: object, message: string) => {
    why = message;
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: keep, error: keep };
  const connection = await openRedis({ url, log, timeoutMs: answerMs });
  try {
    return inspected(readServerFacts(await connection.ask((client) => client.info())));
  } catch (error) {
    if (error instanceof RedisRefusal) return inspected(unknown);
    throw error instanceof RedisAway && why !== null ? new RedisAway(why) : error;
  } finally {
    await connection.close();
  }
};

/** Nobody waits for these answers. */
const answerMs = 1_500;
const unknown: ServerFacts = { version: null, maxmemoryPolicy: null, role: null };

const inspected = (facts: ServerFacts): InspectedRedis => ({
  version: facts.version === null ? null : shown(facts.version),
  isTooOld: isTooOld(facts),
  maxmemoryPolicy: facts.maxmemoryPolicy === null ? null : shown(facts.maxmemoryPolicy),
  losesJobs: losesJobs(facts),
  isReplica: facts.role === 'slave',
});
