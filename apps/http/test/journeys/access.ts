import { expect, test } from 'vitest';
import { expectError, outcomeOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start } from '../subject.ts';

/** Tests granting, revoking and listing access. */
export const accessSuite = (start: Start): void => {
  const { fixtures, call, asAdmin: callAsAdmin } = provideSubject(start);
  const asAdmin = (method: string, path: string) => callAsAdmin(method, `/api/access${path}`);

  test('granting access returns the pair and the time, and cannot be repeated', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    const reply = await fixtures.grant(client, collection);
    expect(reply.status).toBe(201);
    expect(Object.keys(reply.body)).toEqual(['message', 'client_id', 'collection_id', 'granted_at']);
    expect(reply.body).toMatchObject({ client_id: client.id, collection_id: collection });
    expectError(await fixtures.grant(client, collection), 409, 'Client already has access');
  });

  test('when the same pair is granted concurrently, only one request succeeds', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    const replies = await Promise.all(Array.from({ length: 8 }, () => fixtures.grant(client, collection)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  test("a client's list contains all collections, with the time of the grant if there is one", async () => {
    const client = await fixtures.newClient();
    const grantedCollection = await fixtures.newCollection({ name: 'Granted' });
    const otherCollection = await fixtures.newCollection({ name: 'Other' });
    const { granted_at } = (await fixtures.grant(client, grantedCollection)).body;
    const reply = await asAdmin('GET', `/clients/${client.id}/collections`);
    expect(reply.list.find(({ id }) => id === grantedCollection)).toEqual({
      id: grantedCollection,
      name: 'Granted',
      description: 'About it',
      has_access: true,
      granted_at,
    });
    expect(reply.list.find(({ id }) => id === otherCollection)).toMatchObject({ has_access: false, granted_at: null });
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
    expectError(await fixtures.revoke(client, collection), 404, 'Grant not found');
    expect((await fixtures.grant(client, collection)).status).toBe(201);
  });

  test('if client and collection are both missing, the 404 reports the client', async () => {
    const client = await fixtures.newClient();
    const collection = await fixtures.newCollection();
    for (const missingId of [unknownId, 'malformed', fixtures.adminId]) {
      for (const method of ['POST', 'DELETE']) {
        expectError(await asAdmin(method, `/clients/${missingId}/collections/${collection}`), 404, 'Client not found');
      }
      expect((await asAdmin('GET', `/clients/${missingId}/collections`)).body).toEqual({ detail: 'Client not found' });
    }
    for (const missingId of [unknownId, 'malformed']) {
      for (const method of ['POST', 'DELETE']) {
        const reply = await asAdmin(method, `/clients/${client.id}/collections/${missingId}`);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Collection not found' }]);
      }
      expectError(await asAdmin('GET', `/collections/${missingId}/clients`), 404, 'Collection not found');
    }
    const malformedReply = await asAdmin('POST', `/clients/malformed/collections/malformed`);
    expect(textOf(malformedReply.body.detail)).toBe('Client not found');
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
