import type { Config } from '../../config.ts';
import { pass, skip, warn, fail, type Check } from '../check.ts';
import { reasonOf, toSentence } from '../run-checks.ts';

const skipWithoutRedis = ({ redis }: Config) => (redis === null ? 'REDIS_URL is not set.' : null);
const loginErrors = /\b(NOAUTH|WRONGPASS|NOPERM|invalid (username-)?password|without any password)\b/i;

const primaryAdvice =
  'Set REDIS_URL to one address that always leads to the primary: a proxy, or the endpoint of a managed Redis.';

const memoryAdvice = 'Give Redis more memory (maxmemory), or remove other data from it.';
const rightsAdvice = 'Allow the commands and keys that docs/operations/install.md names for an ACL user.';

export const redisChecks: readonly Check[] = [
  {
    id: 'redis.access',
    needs: ['configuration'],
    findSkipReason: skipWithoutRedis,
    execute: async ({ getRedis }) => {
      try {
        await getRedis();
        return pass('Redis responds.');
      } catch (error) {
        const reason = toSentence(reasonOf(error));
        return loginErrors.test(reason)
          ? fail(reason, 'Redis rejects the login: correct user and password in REDIS_URL.')
          : fail(reason, 'Start Redis, or correct host and port in REDIS_URL.');
      }
    },
    advice: 'Start Redis, or correct REDIS_URL.',
  },
  {
    id: 'redis.version',
    needs: ['redis.access'],
    findSkipReason: skipWithoutRedis,
    execute: async ({ getRedis }) => {
      const { version, isTooOld } = await getRedis();
      if (version === null) return skip('Redis does not report its version.');
      return isTooOld
        ? fail(`Redis is version ${version}: limits, cache or jobs may fail.`, 'Upgrade it to 6.2 or newer.')
        : pass(`Redis ${version} is supported.`);
    },
    advice: 'Use Redis 6.2 or newer.',
  },
  {
    id: 'redis.memory',
    needs: ['redis.access'],
    findSkipReason: skipWithoutRedis,
    execute: async ({ getRedis }) => {
      const { maxmemoryPolicy, losesJobs } = await getRedis();
      if (maxmemoryPolicy === null) return skip('Redis does not report what happens when its memory is full.');
      return losesJobs
        ? warn(
            `Redis has maxmemory-policy ${maxmemoryPolicy}, which drops jobs and counts when its memory is full.`,
            'Set maxmemory-policy noeviction.',
          )
        : pass('Redis keeps jobs and counts when its memory is full.');
    },
    advice: 'Set maxmemory-policy noeviction.',
  },
  {
    id: 'redis.writes',
    needs: ['redis.access'],
    findSkipReason: skipWithoutRedis,
    execute: async ({ getRedis }) => {
      const { isReplica, unusableModeReason, scriptError: writeError } = await getRedis();
      if (isReplica) return fail('Redis is a replica, which accepts no writes.', 'Set REDIS_URL to its primary.');
      if (unusableModeReason !== null)
        return writeError === null
          ? warn(`Redis ${unusableModeReason}.`, primaryAdvice)
          : fail(`Redis ${unusableModeReason}: ${toSentence(writeError)}`, primaryAdvice);
      if (writeError === null) return pass('Redis accepts the writes of limits and jobs.');
      return fail(
        `Redis rejects the writes of limits and jobs: ${toSentence(writeError)}`,
        writeError.startsWith('OOM ') ? memoryAdvice : rightsAdvice,
      );
    },
    advice: 'Set REDIS_URL to a primary.',
  },
];
