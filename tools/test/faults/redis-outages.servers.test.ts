import { startFaultProxy, startRedis, type FaultMode } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { sendEachOperation, createServiceHarness, waitForState, type ServiceHarness } from './service-harness.ts';
import {
  unavailableState,
  createCollection,
  countFailures,
  prepareCallers,
  availableState,
  trafficVariables,
} from './traffic.ts';

const password = 'a-password-of-redis';
const redis = await startRedis({ password });
const proxy = redis && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(redis.url).port) }));
afterAll(() => Promise.all([redis?.close(), proxy?.close()]));

describe.skipIf(!proxy)('Redis', () => {
  const setUp = async (): Promise<ServiceHarness> => {
    await redis?.flush();
    onTestFinished(() => proxy?.set('pass'));
    const harness = createServiceHarness({ ...trafficVariables, REDIS_URL: proxy?.rewriteUrl(redis?.url ?? '') ?? '' });
    await harness.time.advanceUntil(harness.start());
    return harness;
  };

  /** Creates a collection. The returned function waits until a search finds the collection, which requires a job. */
  const create = async ({ api, time, mint }: ServiceHarness, name: string): Promise<() => Promise<void>> => {
    const admin = await mint();
    const id = await time.advanceUntil(createCollection(api, admin, name));
    return () =>
      time.advanceUntilSuccess(async () => {
        const results = api.request<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name });
        expect((await results)[0]?.collection_id).toBe(id);
      });
  };

  const readFallback = async ({ api: { address } }: ServiceHarness): Promise<string | undefined> =>
    /^rate_limiter_fallback (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'in mode %s no request fails and limits are counted locally; afterwards Redis is used again, also for jobs',
    async (mode) => {
      const harness = await setUp();
      const { api, time, mint } = harness;
      const callers = await time.advanceUntil(mint().then((admin) => prepareCallers(api, admin, mint)));
      const expectNoFailure = async () =>
        expect(countFailures(await time.advanceUntil(sendEachOperation(harness, callers)))).toEqual({});
      await expectNoFailure();
      await proxy?.set(mode);
      await expectNoFailure();
      await waitForState(harness, 'redis', unavailableState);
      await time.advanceUntilSuccess(async () => expect(await readFallback(harness)).toBe('1'));
      await expectNoFailure();
      const waitUntilFound = await create(harness, `Zebras under ${mode}`);
      await proxy?.set('pass');
      await waitForState(harness, 'redis', availableState);
      await time.advanceUntilSuccess(async () => expect(await readFallback(harness)).toBe('0'));
      await expectNoFailure();
      await waitUntilFound();
      await (
        await create(harness, `Elephants after ${mode}`)
      )();
      expect(harness.listWarnings().join('\n')).toContain('is unavailable');
      expect(harness.readLog().text).not.toContain(password);
    },
  );

  test('a service starts without Redis, and uses it once it is available', async () => {
    await proxy?.set('down');
    const harness = await setUp();
    await waitForState(harness, 'redis', unavailableState);
    const waitUntilFound = await create(harness, 'Zebras without Redis');
    await proxy?.set('pass');
    await waitForState(harness, 'redis', availableState);
    await waitUntilFound();
  });
});
