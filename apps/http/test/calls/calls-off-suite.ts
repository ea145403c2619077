import { expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { errorOf } from '../reply.ts';
import type { Start } from '../subject.ts';
import { paths } from './call-world.ts';

/** Tests a service that calls no APIs. */
export const callsOffSuite = (start: Start): void => {
  const { fixtures, call, asAdmin } = provideSubject(start, { ports: () => ({ egress: null }) });

  test('a call is a 503 with advice if calls are off', async () => {
    const [client, id] = [
      await fixtures.newClient(),
      await fixtures.newCollection({
        openapi_spec: { openapi: '3.0.3', info: { title: 'Items', version: '1' }, paths },
      }),
    ];
    await fixtures.grant(client, id);
    const { list } = await asAdmin('GET', `/api/collections/${id}/operations`);
    const path = `/api/collections/${id}/operations/${String(list[0]?.['operation_key'])}/call`;
    expect(errorOf(await call('POST', path, { key: client.key, json: { arguments: { id: '7' } } }))).toEqual([
      503,
      'Calls are off: prepare the call, and send it yourself',
    ]);
  });
};
