import { describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, textOf, type Client, type Start } from '../subject.ts';

/** Tests requests that are closed automatically because the requester gets access in a different way. */
export const closedRequestsSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin: callAsAdmin } = provideSubject(start, { groupsClaim: true });
  const asAdmin = async (method: string, path: string, status: number, json?: unknown) =>
    expectStatus(await callAsAdmin(method, path, json), status);
  const requestAccess = async ({ key }: Client, collection_id: string): Promise<string> => {
    const json = { collection_id, reason: 'To send reminders' };
    const reply = await call('POST', '/api/access/requests', { key, json });
    return textOf(expectStatus(reply, 201).body.id);
  };
  const newGroup = async (name: string = crypto.randomUUID()): Promise<string> =>
    textOf((await asAdmin('POST', '/api/groups', 201, { name })).body.id);
  const createGroupWith = async (collection: string, name?: string): Promise<string> => {
    const group = await newGroup(name);
    await asAdmin('POST', `/api/groups/${group}/collections/${collection}`, 201);
    return group;
  };
  const signIn = async ({ uid, email }: Client, groups: readonly string[]) => {
    const token = await subject.mint({ uid, email, groups });
    return expectStatus(await call('GET', '/api/profiles/me', { token }), 200);
  };

  /** The ways to grant the collection to the client, and nothing to other clients. */
  const grantActions: Readonly<Record<string, (client: Client, collection: string) => Promise<unknown>>> = {
    'a grant': async ({ id }, collection) =>
      asAdmin('POST', `/api/access/clients/${id}/collections/${collection}`, 201),
    'a grant to a group of the requester': async ({ id }, collection) => {
      const group = await newGroup();
      await asAdmin('POST', `/api/groups/${group}/members/${id}`, 201);
      await asAdmin('POST', `/api/groups/${group}/collections/${collection}`, 201);
    },
    'a bulk grant': async ({ email }, collection) =>
      asAdmin('POST', '/api/access/grants', 200, {
        profiles: [email, (await fixtures.newClient()).id],
        collections: [collection, await fixtures.newCollection()],
      }),
    'a bulk grant to a group of the requester': async ({ id }, collection) => {
      const group = await newGroup();
      await asAdmin('POST', `/api/groups/${group}/members/${id}`, 201);
      await asAdmin('POST', '/api/access/grants', 200, { groups: [group], collections: [collection] });
    },
    'joining a group with access to the collection': async ({ id }, collection) =>
      asAdmin('POST', `/api/groups/${await createGroupWith(collection)}/members/${id}`, 201),
    'joining a group with access to the collection together with other clients': async ({ id }, collection) =>
      asAdmin('POST', `/api/groups/${await createGroupWith(collection)}/members`, 200, {
        profiles: [id, (await fixtures.newClient()).email],
      }),
    'a token whose claims contain a group with access to the collection': async (client, collection) => {
      const name = crypto.randomUUID();
      await createGroupWith(collection, name);
      await signIn(client, [name]);
    },
    "renaming a group with access to the collection to a name in the claims of the requester's token": async (
      client,
      collection,
    ) => {
      const name = crypto.randomUUID();
      await signIn(client, [name]);
      await asAdmin('PUT', `/api/groups/${await createGroupWith(collection)}`, 200, { name });
    },
    "a grant to a group in the claims of the requester's token": async (client, collection) => {
      const name = crypto.randomUUID();
      await signIn(client, [name]);
      await createGroupWith(collection, name);
    },
  };

  describe.each(Object.keys(grantActions))('%s', (grantAction) => {
    test('closes the request, but no other requests', async () => {
      const [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
      const [collection, otherCollection] = [
        await fixtures.newCollection({ discoverable: true }),
        await fixtures.newCollection({ discoverable: true }),
      ];
      const request = await requestAccess(ada, collection);
      const otherRequests = [await requestAccess(ada, otherCollection), await requestAccess(bob, collection)];
      await grantActions[grantAction]?.(ada, collection);
      const statusOf = async (id: string) => (await asAdmin('GET', `/api/access/requests/${id}`, 200)).body.status;
      expect(await statusOf(request)).toBe('granted');
      for (const id of otherRequests) expect(await statusOf(id)).toBe('pending');
      const reply = await asAdmin('POST', `/api/access/requests/${request}/approve`, 409);
      expect(reply.body).toEqual({ detail: 'Request already decided: granted' });
      expectStatus(await call('GET', `/api/collections/${collection}`, { key: ada.key }), 200);
    });
  });
};
