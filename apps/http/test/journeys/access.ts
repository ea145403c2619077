import { expect, test } from 'vitest';
import { expectRefusal, outcomeOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start } from '../subject.ts';

/** Tests granting, revoking and listing access. */
export const accessSuite = (start: Start): void => {
  const { fixtures, call, asAdmin: callAsAdmin } = provideSubject(start);
  const asAdmin = (method: string, path: string) => callAsAdmin(method, `/api/access${path}`);

  test('a grant returns the pair and its time, and cannot be repeated', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    const reply = await fixtures.grant(client, collection);
    expect(reply.status).toBe(201);
    expect(Object.keys(reply.body)).toEqual(['message', 'client_id', 'collection_id', 'granted_at']);
    expect(reply.body).toMatchObject({ client_id: client.id, collection_id: collection });
    expectRefusal(await fixtures.grant(client, collection), 409, 'Client already has access');
  });

  test('of concurrent grants of one pair, one succeeds', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    const replies = await Promise.all(Array.from({ length: 8 }, () => fixtures.grant(client, collection)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  test("a client's list contains every collection, with the time of its grant, if any", async () => {
    const client = await fixtures.newClient();
    const granted = await fixtures.newCollection({ name: 'Granted' });
    const other = await fixtures.newCollection({ name: 'Other' });
    const { granted_at } = (await fixtures.grant(client, granted)).body;
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

  test("a collection's list contains its clients", async () => {
    const collection = await fixtures.newCollection();
    const client = await fixtures.newClient();
    const { granted_at } = (await fixtures.grant(client, collection)).body;
    const reply = await asAdmin('GET', `/collections/${collection}/clients`);
    expect(reply.list).toEqual([
      { client_id: client.id, email: client.email, full_name: `Person ${client.uid}`, company_name: null, granted_at },
    ]);
  });

  test('revoking a grant takes effect immediately and cannot be repeated', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    await fixtures.grant(client, collection);
    expect(outcomeOf(await fixtures.revoke(client, collection))).toEqual([200, { message: 'Access revoked' }]);
    expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(403);
    expectRefusal(await fixtures.revoke(client, collection), 404, 'Grant not found');
    expect((await fixtures.grant(client, collection)).status).toBe(201);
  });

  test('a 404 reports a missing client before a missing collection', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    for (const missing of [unknownId, 'malformed', fixtures.adminId]) {
      for (const method of ['POST', 'DELETE']) {
        expectRefusal(await asAdmin(method, `/clients/${missing}/collections/${collection}`), 404, 'Client not found');
      }
      expect((await asAdmin('GET', `/clients/${missing}/collections`)).body).toEqual({ detail: 'Client not found' });
    }
    for (const missing of [unknownId, 'malformed']) {
      for (const method of ['POST', 'DELETE']) {
        const reply = await asAdmin(method, `/clients/${client.id}/collections/${missing}`);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Collection not found' }]);
      }
      expectRefusal(await asAdmin('GET', `/collections/${missing}/clients`), 404, 'Collection not found');
    }
    const both = await asAdmin('POST', `/clients/malformed/collections/malformed`);
    expect(textOf(both.body.detail)).toBe('Client not found');
  });

  test('deleting a client deletes its grants', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    await fixtures.grant(client, collection);
    await call('DELETE', `/api/profiles/${client.id}`, { token: fixtures.admin });
    expect((await asAdmin('GET', `/collections/${collection}/clients`)).list).toEqual([]);
    expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(401);
  });
};
