import type { Config } from '../../config.ts';
import { ok, skipped, warning, wrong, type Check } from '../check.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const isIdle = ({ redis }: Config) => (redis === null ? 'REDIS_URL is not set.' : null);
const refusedLogin = /\b(NOAUTH|WRONGPASS|NOPERM|invalid (username-)?password|without any password)\b/i;

const oneAddress =
  'Name one address in REDIS_URL that always leads to the primary: a proxy, or the endpoint of a managed Redis.';

const moreMemory = 'Give Redis more memory (maxmemory), or remove what else fills it.';
const moreRights = 'Allow the commands and keys that docs/operations/install.md names for an ACL user.';

export const redisChecks: readonly Check[] = [
  {
    id: 'redis.access',
    needs: ['configuration'],
    isIdle,
    ask: async ({ redis }) => {
      try {
        await redis();
        return ok('Redis answers.');
      } catch (error) {
        const reason = sentence(reasonOf(error));
        return refusedLogin.test(reason)
          ? wrong(reason, 'Redis refuses the login: correct user and password in REDIS_URL.')
          : wrong(reason, 'Start Redis, or correct host and port in REDIS_URL.');
      }
    },
    advice: 'Start Redis, or correct REDIS_URL.',
  },
  {
    id: 'redis.version',
    needs: ['redis.access'],
    isIdle,
    ask: async ({ redis }) => {
      const { version, isTooOld } = await redis();
      if (version === null) return skipped('Redis does not say its version.');
      return isTooOld
        ? wrong(`Redis is version ${version}: limits, cache or jobs may fail.`, 'Upgrade it to 6.2 or newer.')
        : ok(`Redis ${version} is supported.`);
    },
    advice: 'Use Redis 6.2 or newer.',
  },
  {
    id: 'redis.memory',
    needs: ['redis.access'],
    isIdle,
    ask: async ({ redis }) => {
      const { maxmemoryPolicy, losesJobs } = await redis();
      if (maxmemoryPolicy === null) return skipped('Redis does not say what it does when its memory is full.');
      return losesJobs
        ? warning(
            `Redis has maxmemory-policy ${maxmemoryPolicy}, which drops jobs and counts when its memory is full.`,
            'Set maxmemory-policy noeviction.',
          )
        : ok('Redis keeps jobs and counts when its memory is full.');
    },
    advice: 'Set maxmemory-policy noeviction.',
  },
  {
    id: 'redis.writes',
    needs: ['redis.access'],
    isIdle,
    ask: async ({ redis }) => {
      const { isReplica, unfitMode, refusal } = await redis();
      if (isReplica) return wrong('Redis is a replica, which accepts no writes.', 'Name its primary in REDIS_URL.');
      if (unfitMode !== null)
        return refusal === null
          ? warning(`Redis ${unfitMode}.`, oneAddress)
          : wrong(`Redis ${unfitMode}: ${sentence(refusal)}`, oneAddress);
      if (refusal === null) return ok('Redis takes what limits and jobs write.');
      return wrong(
        `Redis refuses what limits and jobs write: ${sentence(refusal)}`,
        refusal.startsWith('OOM ') ? moreMemory : moreRights,
      );
    },
    advice: 'Name a primary in REDIS_URL.',
  },
];
