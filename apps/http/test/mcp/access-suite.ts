import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, textOf, type Person, type Start } from '../subject.ts';
import { clients, type McpClient } from './mcp-clients.ts';

/** Tests the tools about the caller's own access, through each official client. */
export const accessSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 }, publicUrl: 'https://portico.example' },
  });
  let tides: string;
  let weather: string;
  let hidden: string;

  beforeAll(async () => {
    const newDiscoverable = async (name: string) => {
      const id = await fixtures.newCollection({ name, description: `${name}\nof the coast` });
      const json = { discoverable: true };
      expectStatus(await call('PUT', `/api/collections/${id}`, { token: fixtures.admin, json }), 200);
      return id;
    };
    tides = await newDiscoverable('Tides');
    weather = await newDiscoverable('Weather');
    hidden = await fixtures.newCollection({ name: 'Hidden' });
  });

  describe.each(Object.entries(clients))('%s', (_revision, connect) => {
    const withClient = async (token: string, use: (mcp: McpClient) => Promise<void>): Promise<void> => {
      const mcp = await connect(subject.client.baseUrl, { Authorization: `Bearer ${token}` });
      try {
        await use(mcp);
      } finally {
        await mcp.close();
      }
    };
    const lastAuditEntry = async (action: string): Promise<unknown> => {
      const path = `/api/audit/?source=system&pageSize=1&action=${action}`;
      const { data } = (await call('GET', path, { token: fixtures.admin })).body as {
        readonly data: readonly unknown[];
      };
      return data[0];
    };
    const decide = async (requestId: unknown, decision: 'approve' | 'deny') =>
      expectStatus(
        await call('POST', `/api/access/requests/${textOf(requestId)}/${decision}`, { token: fixtures.admin }),
        200,
      );

    test('a caller finds an API, asks for it, and may use it once an administrator approves', async () => {
      const { token, id: profileId } = await fixtures.newClient();
      await withClient(token, async (mcp) => {
        const list = async (args = {}) => (await mcp.call('request_access', args)).data;
        expect(await list()).toMatchObject({
          hint: expect.stringMatching(/call request_access with its collection_id and a reason/) as string,
          apis: [
            { collection_id: tides, name: 'Tides', description: 'Tides of the coast', requested: false },
            { collection_id: weather, name: 'Weather', requested: false },
          ],
        });
        expect(await list({ query: 'weath' })).toMatchObject({ apis: [{ collection_id: weather }] });
        expect(JSON.stringify(await list())).not.toContain(hidden);

        const args = { collection_id: weather, reason: 'To plan the week', duration_days: '30' };
        const { data: request } = await mcp.call('request_access', args);
        expect(request).toMatchObject({ status: 'pending', collection_id: weather, name: 'Weather' });
        const stored = await call('GET', `/api/access/requests/${textOf(request?.['request_id'])}`, { token });
        expect(stored.body).toMatchObject({ profile_id: profileId, reason: 'To plan the week', duration_days: 30 });
        expect(await lastAuditEntry('access.request')).toMatchObject({ message: { request_id: stored.body.id } });

        expect((await mcp.call('whoami')).data).toMatchObject({
          api_count: 0,
          pending_requests: [{ request_id: stored.body.id, collection_id: weather, name: 'Weather' }],
        });
        expect(await list({ query: 'weath' })).toMatchObject({ apis: [{ requested: true }] });
        expect((await mcp.call('request_access', args)).text).toMatch(/already asked.*whoami/);

        await decide(request?.['request_id'], 'approve');
        expect((await mcp.call('whoami')).data).toMatchObject({
          api_count: 1,
          pending_requests: [],
          needed: 'Nothing.',
        });
        expect((await mcp.call('request_access', args)).text).toMatch(/may already use this API/);
        expect(await list()).toMatchObject({ apis: [{ collection_id: tides }] });
      });
    });

    test('an API that is not in the catalog cannot be requested, and looks like an unknown one', async () => {
      await withClient((await fixtures.newClient()).token, async (mcp) => {
        const ask = async (id: string) => mcp.call('request_access', { collection_id: id, reason: 'Work' });
        expect(await ask(hidden)).toEqual(await ask('11111111-1111-4111-8111-111111111111'));
        expect((await ask(hidden)).text).toMatch(/^There is no API with this collection_id/);
      });
    });

    test('whoami shows the caller and the next step, for each state of a registration', async () => {
      const whoami = async (token: string, expected: object) =>
        withClient(token, async (mcp) =>
          expect((await mcp.call('whoami')).data).toEqual(expect.objectContaining(expected)),
        );
      const person: Person = await fixtures.register();
      const base = { email: person.email, role: 'client', bound: true, api_count: 0, pending_requests: [] };
      const pending = { ...base, registration_status: 'pending', needed: expect.stringMatching(/approve/) as string };
      await whoami(person.token, pending);
      await withClient(person.token, async (mcp) => {
        expect((await mcp.call('request_access')).text).toMatch(/not approved yet: whoami/);
        const args = { collection_id: weather, reason: 'Work' };
        expect((await mcp.call('request_access', args)).text).toMatch(/not approved yet: whoami/);
      });
      expectStatus(await call('POST', `/api/profiles/${person.id}/reject`, { token: fixtures.admin }), 200);
      const rejected = {
        ...base,
        registration_status: 'rejected',
        needed: expect.stringMatching(/rejected/) as string,
      };
      await whoami(person.token, rejected);
      const { token } = await fixtures.newClient();
      await whoami(token, {
        registration_status: 'approved',
        needed: expect.stringMatching(/request_access/) as string,
      });
      const admin = { role: 'admin', registration_status: 'approved', api_count: 3, needed: 'Nothing.' };
      await whoami(fixtures.admin, admin);
      await withClient(fixtures.admin, async (mcp) => {
        const args = { collection_id: weather, reason: 'Work' };
        expect((await mcp.call('request_access', args)).text).toMatch(/already use every API/);
        expect((await mcp.call('request_access')).data).toMatchObject({ apis: [] });
      });
    });

    test('whoami shows a caller with an API key where to sign in, if no identity is bound', async () => {
      const { key } = await fixtures.newClient();
      await withClient(`${key.clientId}.${key.secret}`, async (mcp) => {
        expect((await mcp.call('whoami')).data).toMatchObject({
          bound: false,
          needed: expect.stringMatching(/sign in once at http.*\/console\.$/) as string,
        });
      });
    });
  });
};
