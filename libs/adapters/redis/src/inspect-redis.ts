import type { Log } from '@portico/dependencies';
import { openRedis, RedisUnavailable, RedisReplyError } from './redis-connection.ts';
import {
  isTooOld,
  losesJobs,
  parseServerInfo,
  sanitize,
  findUnusableModeReason,
  type ServerInfo,
} from './server-info.ts';

/** Information about a Redis server. The values that come from INFO are null or false if the server forbids INFO. */
export interface InspectedRedis {
  readonly version: string | null;
  readonly isTooOld: boolean;
  readonly maxmemoryPolicy: string | null;
  /** Whether the server evicts jobs when its memory is full. */
  readonly losesJobs: boolean;
  /** Whether the server is a replica, which accepts no writes. */
  readonly isReplica: boolean;
  /**
   * States that the server is a Sentinel or a cluster node, as a predicate to follow the server's name; null for a
   * standalone server.
   */
  readonly unusableModeReason: string | null;
  /**
   * The server's error for a script that writes and reads keys, as the limiter and the job queue do; null if it runs
   * the script.
   */
  readonly scriptError: string | null;
}

/**
 * Signs in to the server and queries it. Writes two keys to a primary, and removes them immediately. Rejects with a
 * `RedisUnavailable` whose message contains the reason, but not the password.
 */
export const inspectRedis = async ({ url }: { readonly url: string }): Promise<InspectedRedis> => {
  let problem: string | null = null;
  const recordProblem = (_fields: object, message: string) => {
    problem = message;
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: recordProblem, error: recordProblem };
  const connection = await openRedis({ url, log, timeoutMs });
  try {
    const info = await catchReplyError(connection.run((client) => client.info()));
    const serverInfo = info.error === null ? parseServerInfo(info.reply) : unknownServerInfo;
    // A replica rejects every write, after which the connection would be closed.
    if (serverInfo.role === 'slave') return { ...inspectionOf(serverInfo), scriptError: null };
    const result = await catchReplyError(
      connection.run(async (client) => {
        for (const key of checkKeys) await client.eval(writeAndRead, 1, key);
      }),
    );
    return { ...inspectionOf(serverInfo), scriptError: result.error };
  } catch (error) {
    throw error instanceof RedisUnavailable && problem !== null ? new RedisUnavailable(problem) : error;
  } finally {
    await connection.close();
  }
};

/** The timeout is longer than the default, because no request waits for these replies. */
const timeoutMs = 1_500;
const unknownServerInfo: ServerInfo = { version: null, maxmemoryPolicy: null, role: null, mode: null };

/** The keys have the same prefixes as the keys of the limiter and of the job queue. */
const checkKeys = ['portico:check', '{portico:check}'];
const writeAndRead = `redis.call('set', KEYS[1], '') redis.call('get', KEYS[1]) return redis.call('del', KEYS[1])`;

const catchReplyError = async <Reply>(
  request: Promise<Reply>,
): Promise<{ readonly reply: Reply; readonly error: null } | { readonly error: string }> => {
  try {
    return { reply: await request, error: null };
  } catch (error) {
    if (error instanceof RedisReplyError) return { error: error.message };
    throw error;
  }
};

const inspectionOf = (serverInfo: ServerInfo): Omit<InspectedRedis, 'scriptError'> => ({
  version: serverInfo.version === null ? null : sanitize(serverInfo.version),
  isTooOld: isTooOld(serverInfo),
  maxmemoryPolicy: serverInfo.maxmemoryPolicy === null ? null : sanitize(serverInfo.maxmemoryPolicy),
  losesJobs: losesJobs(serverInfo),
  isReplica: serverInfo.role === 'slave',
  unusableModeReason: findUnusableModeReason(serverInfo),
});
