import { startFaultProxy, startPostgres, type FaultMode } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { askEverything, openStage, untilStateIs } from './stage.ts';
import { failures, prepareSenders, trafficVariables, type Operation } from './traffic.ts';

const postgres = await startPostgres();
const proxy = postgres && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(postgres.url).port) }));
afterAll(() => Promise.all([postgres?.close(), proxy?.close()]));

/** Within this time a request must be answered (specification, section 1). */
const answerLimitMs = 10_000;

const operations: readonly Operation[] = [
  'read',
  'list',
  'metadata',
  'search',
  'search operations',
  'write audit',
  'create',
];
const internal = operations.map((operation) => ({ operation, status: 500, detail: 'Internal server error' }));

const ready = { ready: 200, status: 'ok', essential: true, up: '1' } as const;
const unready = { ready: 503, status: 'unavailable', essential: true, up: '0' } as const;

describe.skipIf(!proxy)('PostgreSQL', () => {
  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'under %s every request ends within 10 s; the service stays alive, is not ready, and recovers by itself',
    async (mode) => {
      const url = proxy?.through((await postgres?.newDatabase()) ?? '') ?? '';
      onTestFinished(() => proxy?.set('pass'));
      const stage = openStage({ ...trafficVariables, DATABASE_URL: url });
      const { time, mint } = stage;
      await time.passUntil(stage.start());
      const { api } = stage;
      const senders = await time.passUntil(mint().then((admin) => prepareSenders(api, admin, mint)));
      const ask = () => time.passUntil(askEverything(stage, senders));
      expect(failures(await ask())).toEqual({});

      await proxy?.set(mode);
      for (let times = 0; times < 2; times++) {
        const askedAt = Date.now();
        const seen = await ask();
        expect(Date.now() - askedAt).toBeLessThanOrEqual(answerLimitMs);
        expect(failures(seen, internal)).toEqual({});
        expect(seen.some(({ status }) => status === 500)).toBe(true);
      }
      await untilStateIs(stage, 'database', unready);
      expect((await api.call(null, 'GET', '/health')).status).toBe(200);

      await proxy?.set('pass');
      await untilStateIs(stage, 'database', ready);
      await time.passUntilSucceeds(async () => expect(failures(await askEverything(stage, senders))).toEqual({}));
      expect(stage.log().text).not.toContain(new URL(url).password);
    },
  );
});
