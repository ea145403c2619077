import { livingMs, type LivingProcess, type Roster } from '@portico/dependencies';
import { openRedis, type RedisConnection } from './redis-connection.ts';

/** Scores are times, members an installation and a process. The 1 is the version of this layout. */
export const rosterKey = 'portico:living:1';

/** It vanishes with the last process. */
const keptMs = 3_600_000;

/** Rejects as `RedisConnection.ask` does. */
export const createRedisRoster = ({ redis }: { readonly redis: Pick<RedisConnection, 'ask'> }): Roster => ({
  async announce(self) {
    await redis.ask((client) =>
      Promise.all([
        client.zadd(rosterKey, self.at, memberOf(self)),
        client.zremrangebyscore(rosterKey, '-inf', `(${self.at - livingMs}`),
        client.pexpire(rosterKey, keptMs),
      ]),
    );
  },
  async living(now) {
    const flat = await redis.ask((client) => client.zrangebyscore(rosterKey, now - livingMs, '+inf', 'WITHSCORES'));
    return flat.flatMap((member, i) => {
      const [installation = '', process = ''] = member.split(' ');
      return i % 2 === 0 ? [{ installation, process, at: Number(flat[i + 1]) }] : [];
    });
  },
  async leave(self) {
    await redis.ask((client) => client.zrem(rosterKey, memberOf(self)));
  },
});

const memberOf = ({ installation, process }: LivingProcess): string => `${installation} ${process}`;

/** Reads it once, without changing anything. */
export const livingInRedis = async ({ url }: { readonly url: string }): Promise<readonly LivingProcess[]> => {
  const ignored = () => undefined;
  const redis = await openRedis({ url, log: { debug: ignored, info: ignored, warn: ignored, error: ignored } });
  try {
    return await createRedisRoster({ redis }).living(Date.now());
  } finally {
    await redis.close();
  }
};
