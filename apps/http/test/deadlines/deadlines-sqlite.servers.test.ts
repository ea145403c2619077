import { expect, test } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { createWorld, smallDocument } from '../matrix/world.ts';
import { deadlineSuite } from './deadline-suite.ts';
import { representatives } from './representatives.ts';
import { createStage } from './stage.ts';

deadlineSuite((options) => startComposed(undefined, options)(), representatives);

test('of large documents uploaded concurrently, those answered with 500 leave no collection', async () => {
  const stage = createStage();
  const world = await createWorld(await startComposed(undefined, stage.options)());
  const { client, service } = world;
  try {
    const token = service.adminToken;
    const filler = Array.from({ length: 15_000 }, (_, at) => `"k${at}":{"type":"object"}`).join(',');
    const document = JSON.stringify(smallDocument).replace('{', `{"components":{"schemas":{${filler}}},`);
    const names = Array.from({ length: 7 }, (_, at) => `queued-${at}`);
    const upload = async (name: string) => {
      const raw = `{"name":"${name}","openapi_spec":${document}}`;
      const headers = ['Content-Type', 'application/json'];
      const { status } = await client.call('POST', '/api/collections/', { token, raw, headers });
      // Once the first is answered, the deadlines of all others expire, whatever they are doing.
      stage.expireAll();
      return { name, status };
    };
    const answers = await Promise.all(names.map(upload));
    const taken = answers.filter(({ status }) => status === 201).map(({ name }) => name);
    expect(taken.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 500).length).toBe(names.length - taken.length);
    expect(taken.length).toBeLessThan(names.length);
    // Its document is read after those that the others left in the queue.
    const last = await upload('last');
    expect(last.status).toBe(201);
    const { list } = await client.call('GET', '/api/collections/', { token });
    const there = list.map(({ name }) => String(name)).filter((name) => name.startsWith('queued-'));
    expect(there.sort()).toEqual(taken.sort());
  } finally {
    await world.close();
  }
});
