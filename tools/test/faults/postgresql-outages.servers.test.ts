import { startFaultProxy, startPostgres, type FaultMode } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { sendEachOperation, createServiceHarness, waitForState } from './service-harness.ts';
import { countFailures, prepareCallers, trafficVariables, type Operation } from './traffic.ts';

const postgres = await startPostgres();
const proxy = postgres && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(postgres.url).port) }));
afterAll(() => Promise.all([postgres?.close(), proxy?.close()]));

/** The time within which the service must respond to a request (specification, section 1). */
const responseLimitMs = 10_000;

const operations: readonly Operation[] = [
  'read',
  'list',
  'metadata',
  'search',
  'search operations',
  'write audit',
  'create',
];
const internalErrors = operations.map((operation) => ({ operation, status: 500, detail: 'Internal server error' }));

const readyState = { ready: 200, status: 'ok', essential: true, up: '1' } as const;
const unreadyState = { ready: 503, status: 'unavailable', essential: true, up: '0' } as const;

describe.skipIf(!proxy)('PostgreSQL', () => {
  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'in mode %s every request completes within 10 s; the service keeps running, is not ready, and recovers by itself',
    async (mode) => {
      const url = proxy?.rewriteUrl((await postgres?.createDatabase()) ?? '') ?? '';
      onTestFinished(() => proxy?.set('pass'));
      const harness = createServiceHarness({ ...trafficVariables, DATABASE_URL: url });
      const { time, mint } = harness;
      await time.advanceUntil(harness.start());
      const { api } = harness;
      const callers = await time.advanceUntil(mint().then((admin) => prepareCallers(api, admin, mint)));
      const sendAll = () => time.advanceUntil(sendEachOperation(harness, callers));
      expect(countFailures(await sendAll())).toEqual({});

      await proxy?.set(mode);
      for (let round = 0; round < 2; round++) {
        const sentAt = Date.now();
        const exchanges = await sendAll();
        expect(Date.now() - sentAt).toBeLessThanOrEqual(responseLimitMs);
        expect(countFailures(exchanges, internalErrors)).toEqual({});
        expect(exchanges.some(({ status }) => status === 500)).toBe(true);
      }
      await waitForState(harness, 'database', unreadyState);
      expect((await api.call(null, 'GET', '/health')).status).toBe(200);

      await proxy?.set('pass');
      await waitForState(harness, 'database', readyState);
      await time.advanceUntilSuccess(async () =>
        expect(countFailures(await sendEachOperation(harness, callers))).toEqual({}),
      );
      expect(harness.readLog().text).not.toContain(new URL(url).password);
    },
  );
});
