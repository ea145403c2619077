import { startFaultProxy, startRedis, type FaultMode } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { askEverything, openStage, untilStateIs, type Stage } from './stage.ts';
import { away, createCollection, failures, prepareSenders, present, trafficVariables } from './traffic.ts';

const password = 'a-password-of-redis';
const redis = await startRedis({ password });
const proxy = redis && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(redis.url).port) }));
afterAll(() => Promise.all([redis?.close(), proxy?.close()]));

describe.skipIf(!proxy)('Redis', () => {
  const open = async (): Promise<Stage> => {
    await redis?.flush();
    onTestFinished(() => proxy?.set('pass'));
    const stage = openStage({ ...trafficVariables, REDIS_URL: proxy?.through(redis?.url ?? '') ?? '' });
    await stage.time.passUntil(stage.start());
    return stage;
  };

  /** Creates a collection; the function returned waits until a search finds it, which takes a job. */
  const create = async ({ api, time, mint }: Stage, name: string): Promise<() => Promise<void>> => {
    const admin = await mint();
    const id = await time.passUntil(createCollection(api, admin, name));
    return () =>
      time.passUntilSucceeds(async () => {
        const found = api.ask<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name });
        expect((await found)[0]?.collection_id).toBe(id);
      });
  };

  const fallback = async ({ api: { address } }: Stage): Promise<string | undefined> =>
    /^rate_limiter_fallback (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'under %s no request fails, limits are counted locally, and afterwards Redis is used again, for jobs too',
    async (mode) => {
      const stage = await open();
      const { api, time, mint } = stage;
      const senders = await time.passUntil(mint().then((admin) => prepareSenders(api, admin, mint)));
      const expectNoFailure = async () =>
        expect(failures(await time.passUntil(askEverything(stage, senders)))).toEqual({});
      await expectNoFailure();
      await proxy?.set(mode);
      await expectNoFailure();
      await untilStateIs(stage, 'redis', away);
      await time.passUntilSucceeds(async () => expect(await fallback(stage)).toBe('1'));
      await expectNoFailure();
      const untilFound = await create(stage, `Zebras under ${mode}`);
      await proxy?.set('pass');
      await untilStateIs(stage, 'redis', present);
      await time.passUntilSucceeds(async () => expect(await fallback(stage)).toBe('0'));
      await expectNoFailure();
      await untilFound();
      await (
        await create(stage, `Elephants after ${mode}`)
      )();
      expect(stage.warnings().join('\n')).toContain('is away');
      expect(stage.log().text).not.toContain(password);
    },
  );

  test('a service starts without Redis, and uses it once it is up', async () => {
    await proxy?.set('down');
    const stage = await open();
    await untilStateIs(stage, 'redis', away);
    const untilFound = await create(stage, 'Zebras without Redis');
    await proxy?.set('pass');
    await untilStateIs(stage, 'redis', present);
    await untilFound();
  });
});
