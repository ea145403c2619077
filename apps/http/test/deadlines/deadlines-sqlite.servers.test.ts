import { expect, test } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { createWorld, smallDocument } from '../matrix/world.ts';
import { deadlineSuite } from './deadline-suite.ts';
import { isRepresentative } from './is-representative.ts';
import { createDeadlineControl } from './deadline-control.ts';

deadlineSuite((options) => startComposed(undefined, options)(), isRepresentative);

test('concurrent uploads of large documents that fail with a 500 create no collections', async () => {
  const deadlineControl = createDeadlineControl();
  const world = await createWorld(await startComposed(undefined, deadlineControl.options)());
  const { client, service } = world;
  try {
    const token = service.adminToken;
    const filler = Array.from({ length: 15_000 }, (_, index) => `"k${index}":{"type":"object"}`).join(',');
    const document = JSON.stringify(smallDocument).replace('{', `{"components":{"schemas":{${filler}}},`);
    const names = Array.from({ length: 7 }, (_, index) => `queued-${index}`);
    const upload = async (name: string) => {
      const raw = `{"name":"${name}","openapi_spec":${document}}`;
      const headers = ['Content-Type', 'application/json'];
      const { status } = await client.call('POST', '/api/collections/', { token, raw, headers });
      // After the first response, the deadlines of all other requests expire, regardless of the step they have reached.
      deadlineControl.expireAll();
      return { name, status };
    };
    const responses = await Promise.all(names.map(upload));
    const createdNames = responses.filter(({ status }) => status === 201).map(({ name }) => name);
    expect(createdNames.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status === 500).length).toBe(names.length - createdNames.length);
    expect(createdNames.length).toBeLessThan(names.length);
    // This document is processed after the documents that the other requests left in the queue.
    const lastUpload = await upload('last');
    expect(lastUpload.status).toBe(201);
    const { list } = await client.call('GET', '/api/collections/', { token });
    const listedNames = list.map(({ name }) => String(name)).filter((name) => name.startsWith('queued-'));
    expect(listedNames.sort()).toEqual(createdNames.sort());
  } finally {
    await world.close();
  }
});
