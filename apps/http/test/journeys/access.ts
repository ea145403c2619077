import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCast, textOf, unknownId, type Cast, type Start, type Subject } from '../subject.ts';

/** Granting, revoking and listing access. */
export const accessSuite = (start: Start): void => {
  let subject: Subject;
  let cast: Cast;
  const call: Subject['client']['call'] = (...request) => subject.client.call(...request);
  const asAdmin = (method: string, path: string) => call(method, `/api/access${path}`, { token: cast.admin });

  beforeAll(async () => {
    subject = await start();
    cast = await createCast(subject);
  });
  afterAll(() => subject.close());

  test('a grant returns the pair and its time, and cannot be repeated', async () => {
    const client = await cast.newClient();
    const collection = await cast.newCollection();
    const reply = await cast.grant(client, collection);
    expect(reply.status).toBe(201);
    expect(Object.keys(reply.body)).toEqual(['message', 'client_id', 'collection_id', 'granted_at']);
    expect(reply.body).toMatchObject({ client_id: client.id, collection_id: collection });
    const again = await cast.grant(client, collection);
    expect([again.status, again.body]).toEqual([409, { detail: 'Client already has access' }]);
  });

  test('of concurrent grants of one pair, one succeeds', async () => {
    const client = await cast.newClient();
    const collection = await cast.newCollection();
    const replies = await Promise.all(Array.from({ length: 8 }, () => cast.grant(client, collection)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  test("a client's list names every collection, with the time of its grant, if any", async () => {
    const client = await cast.newClient();
    const granted = await cast.newCollection({ name: 'Granted' });
    const other = await cast.newCollection({ name: 'Other' });
    const { granted_at } = (await cast.grant(client, granted)).body;
    const reply = await asAdmin('GET', `/clients/${client.id}/collections`);
    expect(reply.list.find(({ id }) => id === granted)).toEqual({
      id: granted,
      name: 'Granted',
      description: 'About it',
      has_access: true,
      granted_at,
    });
    expect(reply.list.find(({ id }) => id === other)).toMatchObject({ has_access: false, granted_at: null });
  });

  test("a collection's list names its clients", async () => {
    const collection = await cast.newCollection();
    const client = await cast.newClient();
    const { granted_at } = (await cast.grant(client, collection)).body;
    const reply = await asAdmin('GET', `/collections/${collection}/clients`);
    expect(reply.list).toEqual([
      { client_id: client.id, email: client.email, full_name: `Person ${client.uid}`, company_name: null, granted_at },
    ]);
  });

  test('a revoked grant is gone at once, and cannot be revoked again', async () => {
    const client = await cast.newClient();
    const collection = await cast.newCollection();
    await cast.grant(client, collection);
    const reply = await cast.revoke(client, collection);
    expect([reply.status, reply.body]).toEqual([200, { message: 'Access revoked' }]);
    expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(403);
    const again = await cast.revoke(client, collection);
    expect([again.status, again.body]).toEqual([404, { detail: 'Grant not found' }]);
    expect((await cast.grant(client, collection)).status).toBe(201);
  });

  test('a 404 names what is missing: the client first, then the collection', async () => {
    const client = await cast.newClient();
    const collection = await cast.newCollection();
    for (const missing of [unknownId, 'malformed', cast.adminId]) {
      for (const method of ['POST', 'DELETE']) {
        const reply = await asAdmin(method, `/clients/${missing}/collections/${collection}`);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Client not found' }]);
      }
      expect((await asAdmin('GET', `/clients/${missing}/collections`)).body).toEqual({ detail: 'Client not found' });
    }
    for (const missing of [unknownId, 'malformed']) {
      for (const method of ['POST', 'DELETE']) {
        const reply = await asAdmin(method, `/clients/${client.id}/collections/${missing}`);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Collection not found' }]);
      }
      const clients = await asAdmin('GET', `/collections/${missing}/clients`);
      expect([clients.status, clients.body]).toEqual([404, { detail: 'Collection not found' }]);
    }
    const both = await asAdmin('POST', `/clients/malformed/collections/malformed`);
    expect(textOf(both.body.detail)).toBe('Client not found');
  });

  test('deleting a client deletes its grants', async () => {
    const client = await cast.newClient();
    const collection = await cast.newCollection();
    await cast.grant(client, collection);
    await call('DELETE', `/api/profiles/${client.id}`, { token: cast.admin });
    expect((await asAdmin('GET', `/collections/${collection}/clients`)).list).toEqual([]);
    expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(401);
  });
};
