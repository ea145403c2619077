import { recordLog } from '@portico/contracts';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { byteCases } from '../test/byte-cases.ts';
import { patientMs } from '../test/limiter-subject.ts';
import { bodyBytesMax, createRedisBodyStore, keptSeconds, writtenBytesMax } from './redis-body-store.ts';
import { openRedis } from './redis-connection.ts';

const server = await startRedis();
const log = recordLog();
const redis = server && (await openRedis({ url: server.url, log, timeoutMs: patientMs }));
afterAll(async () => {
  await redis?.close();
  await server?.close();
});

/** After a reply to another question, the connection is checked first and used for nothing else meanwhile. */
const untilTrusted = () => expect.poll(() => redis!.probe.check(), { interval: 5 }).toBeUndefined();

const memoryOf = async () => Number(/^used_memory:(\d+)/m.exec(await redis!.client.info('memory'))?.[1]);
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe.skipIf(!redis)('the bodies in Redis', () => {
  /** Two processes: what one sets, the other finds. */
  const createPair = async () => {
    await server!.flush();
    return [0, 1].map(() => createRedisBodyStore({ redis: redis! })) as [
      ReturnType<typeof createRedisBodyStore>,
      ReturnType<typeof createRedisBodyStore>,
    ];
  };

  for (const [sentence, check] of Object.entries(byteCases)) {
    test(`from one process to another: ${sentence}`, async () => {
      const [one, other] = await createPair();
      await check({ set: (key, body) => one.set(key, body), get: (key) => other.get(key) });
    });
  }

  test('every entry expires', async () => {
    const [one] = await createPair();
    await one.set('greeting', bytesOf('hello'));
    const keys = await redis!.client.keys('*');
    expect(keys).toEqual(['portico:cache:1:greeting']);
    const lives = await redis!.client.ttl(keys[0]!);
    expect(lives).toBeGreaterThan(keptSeconds / 2);
    expect(lives).toBeLessThanOrEqual(keptSeconds);
  });

  test('a body over 256 KiB is not stored', async () => {
    const [one, other] = await createPair();
    const [largest, larger] = [new Uint8Array(bodyBytesMax).fill(7), new Uint8Array(bodyBytesMax + 1)];
    await one.set('largest', largest);
    await one.set('larger', larger);
    expect((await other.get('largest'))?.byteLength).toBe(bodyBytesMax);
    expect(await other.get('larger')).toBeUndefined();
  });

  test('a busy process cannot fill Redis: it stores at most 4 MiB a minute', async () => {
    await server!.flush();
    let now = 0;
    const store = createRedisBodyStore({ redis: redis!, timeOfTests: () => now });
    // Leaves room for the key and the overhead of an entry.
    const bytes = bodyBytesMax - 512;
    const fill = async (minute: string) => {
      for (let i = 0; i < 2 * (writtenBytesMax / bodyBytesMax); i++) {
        await store.set(`${minute} ${i}`, new Uint8Array(bytes));
      }
      return (await redis!.client.keys(`portico:cache:1:${minute} *`)).length;
    };
    expect(await fill('first')).toBe(writtenBytesMax / bodyBytesMax);
    expect((await store.get('first 0'))?.byteLength).toBe(bytes);
    expect(await store.get('first 31')).toBeUndefined();
    now += keptSeconds * 1000 - 1;
    expect(await fill('same')).toBe(0);
    now += 1;
    expect(await fill('next')).toBe(writtenBytesMax / bodyBytesMax);
  });

  test('the overhead of many small bodies is counted too', async () => {
    await server!.flush();
    const store = createRedisBodyStore({ redis: redis! });
    const before = await memoryOf();
    for (let i = 0; i < 60_000; i += 1_000) {
      await Promise.all(Array.from({ length: 1_000 }, (_, n) => store.set(`small ${i + n}`, bytesOf('[]'))));
    }
    expect(await redis!.client.dbsize()).toBeGreaterThan(1_000);
    expect((await memoryOf()) - before).toBeLessThan(1.5 * writtenBytesMax);
  });

  test('the body of another key is never returned', async () => {
    const [one, other] = await createPair();
    await one.set('list of bob', bytesOf('of bob'));
    await redis!.client.copy('portico:cache:1:list of bob', 'portico:cache:1:list of ada');
    expect(await other.get('list of ada')).toBeUndefined();
    await untilTrusted();
    await one.set('list of adam', bytesOf('of adam'));
    await redis!.client.copy('portico:cache:1:list of adam', 'portico:cache:1:list of ad');
    expect(await other.get('list of ad')).toBeUndefined();
    await untilTrusted();
    await redis!.client.set('portico:cache:1:list of eve', 'x');
    expect(await other.get('list of eve')).toBeUndefined();
  });
});
