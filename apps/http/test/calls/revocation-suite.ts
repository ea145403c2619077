import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { createFixtures, expectStatus, textOf, type Client, type Fixtures, type Subject } from '../subject.ts';
import { paths } from './call-world.ts';
import { bearer } from './credential-kinds.ts';
import { respondWith, startHostileApi, type HostileApi } from './hostile-api.ts';

/** The processes of one service. The first one gets the changes of even cycles, the second one of odd cycles. */
export type StartReplicas = () => Promise<readonly Subject[]>;

/** The client, the collection and the group of one lane of cycles. */
interface Lane {
  client: Client;
  readonly id: string;
  readonly group: string;
  readonly key: string;
}

type AsAdmin = (method: string, path: string, json?: unknown) => Promise<Reply>;

/** A change after which calls are refused. */
interface Revocation {
  readonly name: string;
  readonly prepare: (lane: Lane, asAdmin: AsAdmin) => Promise<unknown>;
  readonly revoke: (lane: Lane, asAdmin: AsAdmin) => Promise<unknown>;
  readonly status: number;
  /** Restores the lane's access. */
  readonly restore: (lane: Lane, asAdmin: AsAdmin) => Promise<unknown>;
}

const grantPath = ({ client, id }: Lane) => `/api/access/clients/${client.id}/collections/${id}`;
const memberPath = ({ client, group }: Lane) => `/api/groups/${group}/members/${client.id}`;
const profilePath = ({ client }: Lane, verb: string) => `/api/profiles/${client.id}/${verb}`;
const credentialPath = ({ id }: Lane) => `/api/collections/${id}/credentials/it`;
const ok = async (reply: Promise<Reply>): Promise<Reply> => {
  const { status, text } = await reply;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return reply;
};
const addGrant: Revocation['prepare'] = (lane, asAdmin) => ok(asAdmin('POST', grantPath(lane)));
const removeGrant: Revocation['restore'] = (lane, asAdmin) => ok(asAdmin('DELETE', grantPath(lane)));

const revocations: readonly Revocation[] = [
  {
    name: 'the grant is revoked',
    prepare: addGrant,
    revoke: removeGrant,
    status: 403,
    restore: async () => undefined,
  },
  {
    name: 'the client is suspended',
    prepare: addGrant,
    revoke: (lane, asAdmin) => ok(asAdmin('POST', profilePath(lane, 'suspend'))),
    status: 401,
    restore: async (lane, asAdmin) => {
      await ok(asAdmin('POST', profilePath(lane, 'resume')));
      await removeGrant(lane, asAdmin);
    },
  },
  {
    name: 'the key is rotated',
    prepare: addGrant,
    revoke: async (lane, asAdmin) => {
      const { body } = await ok(asAdmin('POST', profilePath(lane, 'credentials'), {}));
      rotatedKeys.set(lane, { clientId: textOf(body.client_id), secret: textOf(body.client_secret) });
    },
    status: 401,
    restore: async (lane, asAdmin) => {
      lane.client = { ...lane.client, key: rotatedKeys.get(lane) ?? lane.client.key };
      await removeGrant(lane, asAdmin);
    },
  },
  {
    name: 'the client leaves its group',
    prepare: (lane, asAdmin) => ok(asAdmin('POST', memberPath(lane))),
    revoke: (lane, asAdmin) => ok(asAdmin('DELETE', memberPath(lane))),
    status: 403,
    restore: async () => undefined,
  },
  {
    name: 'the rule allows reading only',
    prepare: addGrant,
    revoke: (lane, asAdmin) => ok(asAdmin('PUT', grantPath(lane), { expires_at: null, operations: 'read_only' })),
    status: 403,
    restore: removeGrant,
  },
  {
    name: 'the credential is removed',
    prepare: addGrant,
    revoke: (lane, asAdmin) => ok(asAdmin('DELETE', credentialPath(lane))),
    status: 424,
    restore: async (lane, asAdmin) => {
      await ok(asAdmin('PUT', credentialPath(lane), bearer.input));
      await removeGrant(lane, asAdmin);
    },
  },
];
const rotatedKeys = new WeakMap<Lane, Client['key']>();

/** Tests that after a change no replica sends a call that the change forbids. */
export const revocationSuite = (start: StartReplicas, cycles: number): void => {
  const laneCount = 4;
  let replicas: readonly Subject[];
  let fixtures: Fixtures;
  let api: HostileApi;
  beforeAll(async () => {
    api = await startHostileApi();
    replicas = await start();
    const [first] = replicas;
    if (first) fixtures = await createFixtures(first);
  });
  afterAll(async () => {
    for (const replica of replicas.toReversed()) await replica.close();
    await api.close();
  });

  const replicaOf = (index: number): Subject => {
    const replica = replicas[index % replicas.length];
    if (!replica) throw new Error('There is no replica');
    return replica;
  };
  const asAdminOf =
    (index: number): AsAdmin =>
    (method, path, json) =>
      replicaOf(index).client.call(method, path, { token: fixtures.admin, ...(json === undefined ? {} : { json }) });
  const call = ({ client, id, key }: Lane, index: number, fields: object = {}): Promise<Reply> =>
    replicaOf(index).client.call('POST', `/api/collections/${id}/operations/${key}/call`, {
      key: client.key,
      json: { arguments: { id: '7' }, ...fields },
    });

  const createLane = async (name: string): Promise<Lane> => {
    const asAdmin = asAdminOf(0);
    const openapi_spec = {
      ...{ openapi: '3.0.3', info: { title: 'Items', version: '1' }, servers: [{ url: `${api.url}/v1` }], paths },
      ...{ components: { securitySchemes: { it: bearer.scheme } }, security: [{ it: [] }] },
    };
    const id = await fixtures.newCollection({ openapi_spec });
    await ok(asAdmin('PUT', `/api/collections/${id}/credentials/it`, bearer.input));
    const group = textOf(expectStatus(await asAdmin('POST', '/api/groups', { name }), 201).body.id);
    await ok(asAdmin('POST', `/api/groups/${group}/collections/${id}`));
    const { list } = await asAdmin('GET', `/api/collections/${id}/operations`);
    const key = textOf(list.find((line) => line['operation_id'] === 'putItem')?.['operation_key']);
    return { client: await fixtures.newClient(), id, group, key };
  };

  /** Runs one cycle; returns the violations. */
  const runCycle = async (lane: Lane, cycle: number): Promise<readonly string[]> => {
    const { name, prepare, revoke, status, restore } = revocations[cycle % revocations.length] as Revocation;
    const index = Math.floor(cycle / revocations.length);
    await prepare(lane, asAdminOf(index));
    const violations: string[] = [];
    const before = await call(lane, index + 1);
    if (before.status !== 200) violations.push(`before ${name}: ${before.status} ${before.text}`);
    const marker = `lane-${lane.id}`;
    await revoke(lane, asAdminOf(index));
    const replies = await Promise.all(
      replicas.map((_replica, number) => call(lane, number, { arguments: { id: marker } })),
    );
    for (const reply of replies)
      if (reply.status !== status) violations.push(`after ${name}: ${reply.status} ${reply.text}`);
    if (api.requests.some(({ url }) => url.endsWith(marker))) violations.push(`after ${name}: a request was sent`);
    await restore(lane, asAdminOf(index));
    return violations;
  };

  test(`in ${cycles} cycles, no replica sends a call after its right was revoked`, async () => {
    const violations: string[] = [];
    const runLane = async (number: number): Promise<void> => {
      const lane = await createLane(`lane ${number}`);
      for (let cycle = number; cycle < cycles; cycle += laneCount)
        violations.push(...(await runCycle(lane, Math.floor(cycle / laneCount) + number)));
    };
    await Promise.all(Array.from({ length: laneCount }, (_, number) => runLane(number)));
    expect(violations).toEqual([]);
    expect(api.requests.length).toBe(cycles);
  });

  test('after the delivery is `call`, no replica shows the credential', async () => {
    const lane = await createLane('delivery');
    await addGrant(lane, asAdminOf(0));
    const options: CallOptions = { key: lane.client.key };
    for (let cycle = 0; cycle < Math.min(cycles / 10, 100); cycle++)
      for (const delivery of ['reveal', 'call']) {
        await ok(asAdminOf(cycle)('PUT', `/api/collections/${lane.id}/delivery`, { delivery }));
        for (const { client } of replicas) {
          const { text } = await client.call('GET', `/api/collections/${lane.id}/metadata`, options);
          expect(text.includes(bearer.secrets[0] ?? '')).toBe(delivery === 'reveal');
        }
      }
  });

  test('a call in flight whose grant is revoked ends by its deadline', async () => {
    const lane = await createLane('in flight');
    await addGrant(lane, asAdminOf(0));
    let isClosed = false;
    const arrival = new Promise<void>((resolve) => {
      api.respond = (socket) => {
        socket.once('close', () => (isClosed = true));
        resolve();
      };
    });
    const pendingReply = call(lane, 0, { timeout_ms: 1_500 });
    await arrival;
    await removeGrant(lane, asAdminOf(1));
    expect((await call(lane, 1)).status).toBe(403);
    expect((await pendingReply).status).toBe(504);
    await expect.poll(() => isClosed).toBe(true);
    api.respond = (socket) => socket.end(respondWith('fine'));
  });
};
