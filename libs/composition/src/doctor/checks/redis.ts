import type { Config } from '../../config.ts';
import { ok, skipped, warning, wrong, type Check } from '../check.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const isIdle = ({ redis }: Config) => (redis === null ? 'REDIS_URL is not set.' : null);
const loginErrors = /\b(NOAUTH|WRONGPASS|NOPERM|invalid (username-)?password|without any password)\b/i;

const primaryAdvice =
  'Name one address in REDIS_URL that always leads to the primary: a proxy, or the endpoint of a managed Redis.';

const memoryAdvice = 'Give Redis more memory (maxmemory), or remove other data from it.';
const rightsAdvice = 'Allow the commands and keys that docs/operations/install.md names for an ACL user.';

export const redisChecks: readonly Check[] = [
  {
    id: 'redis.access',
    needs: ['configuration'],
    findSkipReason: isIdle,
    execute: async ({ redis }) => {
      try {
        await redis();
        return ok('Redis responds.');
      } catch (error) {
        const reason = sentence(reasonOf(error));
        return loginErrors.test(reason)
          ? wrong(reason, 'Redis refuses the login: correct user and password in REDIS_URL.')
          : wrong(reason, 'Start Redis, or correct host and port in REDIS_URL.');
      }
    },
    advice: 'Start Redis, or correct REDIS_URL.',
  },
  {
    id: 'redis.version',
    needs: ['redis.access'],
    findSkipReason: isIdle,
    execute: async ({ redis }) => {
      const { version, isTooOld } = await redis();
      if (version === null) return skipped('Redis does not report its version.');
      return isTooOld
        ? wrong(`Redis is version ${version}: limits, cache or jobs may fail.`, 'Upgrade it to 6.2 or newer.')
        : ok(`Redis ${version} is supported.`);
    },
    advice: 'Use Redis 6.2 or newer.',
  },
  {
    id: 'redis.memory',
    needs: ['redis.access'],
    findSkipReason: isIdle,
    execute: async ({ redis }) => {
      const { maxmemoryPolicy, losesJobs } = await redis();
      if (maxmemoryPolicy === null) return skipped('Redis does not report what happens when its memory is full.');
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
    findSkipReason: isIdle,
    execute: async ({ redis }) => {
      const { isReplica, unusableMode, refusal } = await redis();
      if (isReplica) return wrong('Redis is a replica, which accepts no writes.', 'Name its primary in REDIS_URL.');
      if (unusableMode !== null)
        return refusal === null
          ? warning(`Redis ${unusableMode}.`, primaryAdvice)
          : wrong(`Redis ${unusableMode}: ${sentence(refusal)}`, primaryAdvice);
      if (refusal === null) return ok('Redis accepts the writes of limits and jobs.');
      return wrong(
        `Redis rejects the writes of limits and jobs: ${sentence(refusal)}`,
        refusal.startsWith('OOM ') ? memoryAdvice : rightsAdvice,
      );
    },
    advice: 'Name a primary in REDIS_URL.',
  },
];
