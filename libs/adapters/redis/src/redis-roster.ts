import { livenessMs, type LiveProcess, type Roster } from '@portico/dependencies';
import { openRedis, type RedisConnection } from './redis-connection.ts';

/**
 * The key of a sorted set whose scores are times and whose members each consist of an installation and a process. The 1
 * is the version of this layout.
 */
export const rosterKey = 'portico:living:1';

/** How long after the last announcement the key expires. */
const rosterTtlMs = 3_600_000;

/** Creates a roster in Redis. Its methods reject with the errors of `RedisConnection.run`. */
export const createRedisRoster = ({ redis }: { readonly redis: Pick<RedisConnection, 'run'> }): Roster => ({
  async announce(self) {
    await redis.run((client) =>
      Promise.all([
        client.zadd(rosterKey, self.at, memberOf(self)),
        client.zremrangebyscore(rosterKey, '-inf', `(${self.at - livenessMs}`),
        client.pexpire(rosterKey, rosterTtlMs),
      ]),
    );
  },
  async listLiveProcesses(now) {
    const reply = await redis.run((client) => client.zrangebyscore(rosterKey, now - livenessMs, '+inf', 'WITHSCORES'));
    return reply.flatMap((member, i) => {
      const [installation = '', process = ''] = member.split(' ');
      return i % 2 === 0 ? [{ installation, process, at: Number(reply[i + 1]) }] : [];
    });
  },
  async leave(self) {
    await redis.run((client) => client.zrem(rosterKey, memberOf(self)));
  },
});

const memberOf = ({ installation, process }: LiveProcess): string => `${installation} ${process}`;

/** Reads the roster once, without changing it. */
export const readLiveProcessesInRedis = async ({ url }: { readonly url: string }): Promise<readonly LiveProcess[]> => {
  const ignore = () => undefined;
  const redis = await openRedis({ url, log: { debug: ignore, info: ignore, warn: ignore, error: ignore } });
  try {
    return await createRedisRoster({ redis }).listLiveProcesses(Date.now());
  } finally {
    await redis.close();
  }
};
