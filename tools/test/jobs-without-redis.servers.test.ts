import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addClient } from './clients.ts';
import { createCollection, eventually, logOf } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';

const redis = await startRedis({ args: ['--databases', '1'] });
afterAll(() => redis?.close());

/** How Redis becomes of no use for jobs, and of use again. */
const faults: Readonly<
  Record<string, { readonly begin: () => Promise<unknown>; readonly end: () => Promise<unknown> }>
> = {
  'is away': {
    begin: async () => redis?.control?.stop('immediate'),
    end: async () => redis?.control?.start(),
  },
  'is full': {
    begin: async () => redis?.tell('CONFIG', 'SET', 'maxmemory', '1'),
    end: async () => redis?.tell('CONFIG', 'SET', 'maxmemory', '0'),
  },
  'refuses the keys of the queue': {
    begin: async () => redis?.tell('ACL', 'SETUSER', 'default', 'resetkeys', '~portico:*'),
    end: async () => redis?.tell('ACL', 'SETUSER', 'default', '~*'),
  },
};

/** How many jobs of collections BullMQ has told of since Redis was started. */
const toldByBullmq = async (): Promise<number> => {
  const count = `local told = 0
    for _, key in ipairs(redis.call('keys', '*:embed:events')) do told = told + redis.call('xlen', key) end
    return told`;
  return Number(await redis?.tell('EVAL', count, '0'));
};

const readinessOf = async (answer: Response) => {
  const { checks } = (await answer.json()) as { checks: Readonly<Record<string, { status: string }>> };
  return { status: answer.status, jobQueue: checks['job queue']?.status };
};

describe.skipIf(!redis?.control)('a service without jobs of its own, and a worker', () => {
  let installation: Installation;
  let admin: Credential;
  beforeAll(async () => {
    installation = await createInstallation({ JOBS: 'off', REDIS_URL: redis?.url ?? '' });
    await installation.start();
    admin = await installation.admin();
    installation.spawnWorker();
  });
  afterAll(() => installation.remove());

  /** Whether the service hands jobs to Redis. */
  const untilFallback = (is: '0' | '1') =>
    eventually(
      async () => /^job_queue_fallback (\d)$/m.exec(await (await fetch(`${installation.api.address}/metrics`)).text()),
      (line) => line?.[1] === is,
    );

  /** Makes a collection and approves a person; waits until it is found and the person has the mail. */
  const makeAndSee = async (name: string): Promise<void> => {
    const { api, folder } = installation;
    const id = await createCollection(api, admin, `Weather of ${name}`);
    const email = `${name}@example.com`;
    await addClient(api, admin, name);
    const search = { query: 'weather', k_limit: 50 };
    await eventually(
      () => api.ask<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', search),
      (found) => found.some(({ collection_id }) => collection_id === id),
    );
    const mails = () => {
      const at = join(folder, 'mails');
      const names = existsSync(at) ? readdirSync(at).filter((file) => file.endsWith('.eml')) : [];
      return names.filter((file) => readFileSync(join(at, file), 'utf8').includes(`\r\nTo: ${email}\r\n`));
    };
    await eventually(mails, ({ length }) => length > 0);
    expect(mails()).toHaveLength(1);
  };

  test.each(Object.entries(faults))(
    'jobs are worked while Redis %s, and by BullMQ again afterwards',
    async (fault, { begin, end }) => {
      const name = fault.replaceAll(' ', '-');
      await makeAndSee(`before-${name}`);
      await untilFallback('0');
      await begin();
      try {
        await makeAndSee(`while-it-${name}`);
        await untilFallback('1');
        // The checks are asked once a second at most.
        const { status } = await eventually(
          () => fetch(`${installation.api.address}/ready`).then(readinessOf),
          ({ jobQueue }) => jobQueue === 'unavailable',
        );
        expect(status).toBe(200);
      } finally {
        await end();
      }
      await untilFallback('0');
      const told = await toldByBullmq();
      await makeAndSee(`after-it-${name}`);
      expect(await toldByBullmq()).toBeGreaterThan(told);
    },
  );

  test('the log says once when they are worked without it, and once when they are not', () => {
    const said = logOf(installation).lines.flatMap(
      ({ msg }) => /accepts (no jobs; they are worked|jobs again)/.exec(msg)?.[1] ?? [],
    );
    const each = Object.keys(faults).flatMap(() => ['no jobs; they are worked', 'jobs again']);
    expect(said).toEqual(each);
  });
});
