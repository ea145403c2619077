import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addClient } from './clients.ts';
import { createCollection, pollUntil, logOf } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';

const redis = await startRedis({ args: ['--databases', '1'] });
afterAll(() => redis?.close());

/** Faults that prevent Redis from being used for jobs. */
const faults: Readonly<
  Record<string, { readonly begin: () => Promise<unknown>; readonly end: () => Promise<unknown> }>
> = {
  'is unavailable': {
    begin: async () => redis?.control?.stop('immediate'),
    end: async () => redis?.control?.start(),
  },
  'is full': {
    begin: async () => redis?.send('CONFIG', 'SET', 'maxmemory', '1'),
    end: async () => redis?.send('CONFIG', 'SET', 'maxmemory', '0'),
  },
  'denies the keys of the queue': {
    begin: async () => redis?.send('ACL', 'SETUSER', 'default', 'resetkeys', '~portico:*'),
    end: async () => redis?.send('ACL', 'SETUSER', 'default', '~*'),
  },
};

/** Returns the number of BullMQ events about collection jobs since Redis was started. */
const countBullmqEvents = async (): Promise<number> => {
  const count = `local total = 0
    for _, key in ipairs(redis.call('keys', '*:embed:events')) do total = total + redis.call('xlen', key) end
    return total`;
  return Number(await redis?.send('EVAL', count, '0'));
};

const readinessOf = async (response: Response) => {
  const { checks } = (await response.json()) as { checks: Readonly<Record<string, { status: string }>> };
  return { status: response.status, jobQueue: checks['job queue']?.status };
};

describe.skipIf(!redis?.control)('a service that runs no jobs, and a worker', () => {
  let installation: Installation;
  let admin: Credential;
  beforeAll(async () => {
    installation = await createInstallation({ JOBS: 'off', REDIS_URL: redis?.url ?? '' });
    await installation.start();
    admin = await installation.createAdminToken();
    installation.spawnWorker();
  });
  afterAll(() => installation.remove());

  /** Waits until the service stops (1) or resumes (0) queueing jobs in Redis. */
  const waitForFallback = (value: '0' | '1') =>
    pollUntil(
      async () => /^job_queue_fallback (\d)$/m.exec(await (await fetch(`${installation.api.address}/metrics`)).text()),
      (line) => line?.[1] === value,
    );

  /**
   * Creates a collection and approves a client. Waits until a search finds the collection and the client has received
   * the email.
   */
  const createAndObserve = async (name: string): Promise<void> => {
    const { api, folder } = installation;
    const id = await createCollection(api, admin, `Weather of ${name}`);
    const email = `${name}@example.com`;
    await addClient(api, admin, name);
    const search = { query: 'weather', k_limit: 50 };
    await pollUntil(
      () => api.request<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', search),
      (results) => results.some(({ collection_id }) => collection_id === id),
    );
    const listMails = () => {
      const mailFolder = join(folder, 'mails');
      const names = existsSync(mailFolder) ? readdirSync(mailFolder).filter((file) => file.endsWith('.eml')) : [];
      return names.filter((file) => readFileSync(join(mailFolder, file), 'utf8').includes(`\r\nTo: ${email}\r\n`));
    };
    await pollUntil(listMails, ({ length }) => length > 0);
    expect(listMails()).toHaveLength(1);
  };

  test.each(Object.entries(faults))(
    'jobs run while Redis %s, and BullMQ takes over again afterwards',
    async (fault, { begin, end }) => {
      const name = fault.replaceAll(' ', '-');
      await createAndObserve(`before-${name}`);
      await waitForFallback('0');
      await begin();
      try {
        await createAndObserve(`while-it-${name}`);
        await waitForFallback('1');
        // The checks run at most once a second.
        const { status } = await pollUntil(
          () => fetch(`${installation.api.address}/ready`).then(readinessOf),
          ({ jobQueue }) => jobQueue === 'unavailable',
        );
        expect(status).toBe(200);
      } finally {
        await end();
      }
      await waitForFallback('0');
      const eventsBefore = await countBullmqEvents();
      await createAndObserve(`after-it-${name}`);
      expect(await countBullmqEvents()).toBeGreaterThan(eventsBefore);
    },
  );

  test('each switch between Redis and the fallback is logged once', () => {
    const transitions = logOf(installation).lines.flatMap(
      ({ msg }) => /accepts (no jobs; processing them without Redis|jobs again)/.exec(msg)?.[1] ?? [],
    );
    const expected = Object.keys(faults).flatMap(() => ['no jobs; processing them without Redis', 'jobs again']);
    expect(transitions).toEqual(expected);
  });
});
