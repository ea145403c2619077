import { expect, test } from 'vitest';
import { expectError } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Person, Start } from '../subject.ts';

/** Tests suspending and resuming profiles. */
export const suspensionSuite = (start: Start): void => {
  const { fixtures, call, asAdmin } = provideSubject(start);
  const callAs = ({ id }: Pick<Person, 'id'>, action: 'suspend' | 'resume', json?: unknown) =>
    asAdmin('POST', `/api/profiles/${id}/${action}`, json);

  test('a suspended client is immediately treated as unknown on all routes, and loses no data', async () => {
    const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
    await fixtures.grant(client, collection);
    const checkDenials = async () => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const replies = [
        await call('GET', '/api/profiles/me', { token: client.token }),
        await call('GET', '/api/collections/', { token: client.token }),
        await call('GET', `/api/collections/${collection}`, { token: client.token }),
        await call('GET', `/api/collections/${collection}`, { key: client.key }),
        await call('POST', '/mcp', { key: client.key, json: message }),
      ];
      return replies.map(({ status }) => status === 401);
    };
    expect(await checkDenials()).toEqual([false, false, false, false, false]);
    const { status, body } = await callAs(client, 'suspend', { reason: 'Left the company.' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: client.id, registration_status: 'approved', client_id: client.key.clientId });
    expect(body.suspended_at).toMatch(/Z$/);
    expect(await checkDenials()).toEqual([true, true, true, true, true]);
    const expectedErrors = [
      [{ token: client.token }, 'Invalid or expired token'],
      [{ key: client.key }, 'Invalid API credentials'],
    ] as const;
    for (const [credential, detail] of expectedErrors) {
      expect((await call('GET', `/api/collections/${collection}`, credential)).body).toEqual({ detail });
    }
    expect((await callAs(client, 'resume')).body.suspended_at).toBeNull();
    expect(await checkDenials()).toEqual([false, false, false, false, false]);
    expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(200);
  });

  test('the list shows suspended profiles, and the audit log has the reason', async () => {
    const client = await fixtures.newClient();
    const { suspended_at } = (await callAs(client, 'suspend', { reason: 'Left.' })).body;
    const path = '/api/profiles/?include=suspension&suspended=true';
    const { list } = await call('GET', path, { token: fixtures.admin });
    expect(list.filter(({ id }) => id === client.id)).toMatchObject([{ suspended_at }]);
    const audit = await call('GET', '/api/audit/?source=system&action=profile.suspend', { token: fixtures.admin });
    const [entry] = audit.body.data as readonly { message: unknown }[];
    expect(entry?.message).toMatchObject({ profile: client.email, reason: 'Left.' });
  });

  test('administrators can use an email address wherever a path or an override expects an id', async () => {
    const eve = await fixtures.newClient();
    const path = `/api/profiles/${encodeURIComponent(eve.email.toUpperCase())}`;
    const asAdmin = { token: fixtures.admin };
    await call('POST', '/api/audit/', { token: eve.token, json: { message: { action: 'api_call' } } });
    const override = { client_id: eve.email, allowed_limit: 7, window_seconds: 60 };
    expect((await call('POST', '/api/rate-limits/overrides', { ...asAdmin, json: override })).status).toBe(201);
    expect((await call('PUT', `${path}/tier`, { ...asAdmin, json: { tier: null } })).body.id).toBe(eve.id);
    expect((await call('GET', `${path}/groups`, asAdmin)).list).toEqual([]);
    expect((await call('POST', `${path}/suspend`, asAdmin)).body.id).toBe(eve.id);
    expect((await call('GET', '/api/profiles/me', { token: eve.token })).status).toBe(401);
    const audit = await call('GET', `/api/audit/?source=client&actor=${eve.email}`, asAdmin);
    expect([audit.status, audit.body.total]).toEqual([200, 1]);
    for (const path of ['/api/audit/', '/api/audit/export']) {
      const unknownReply = await call('GET', `${path}?source=all&actor=nobody@example.com`, asAdmin);
      expect([unknownReply.status, unknownReply.body.detail]).toEqual([404, 'User not found']);
    }
    for (const text of ['nobody@example.com', 'a%00@example.com', 'nobody'])
      expect([text, (await call('POST', `/api/profiles/${text}/suspend`, asAdmin)).status]).toEqual([text, 404]);
    expect((await call('DELETE', path, asAdmin)).status).toBe(200);
  });

  test('a profile cannot be suspended or resumed twice', async () => {
    const client = await fixtures.newClient();
    expectError(await callAs(client, 'resume'), 409, 'User not suspended');
    await callAs(client, 'suspend');
    expectError(await callAs(client, 'suspend'), 409, 'User already suspended');
  });

  test('the last admin who can sign in cannot be suspended; other admins can', async () => {
    expectError(await callAs({ id: fixtures.adminId }, 'suspend'), 409, 'The last admin cannot be removed');
    const otherClient = await fixtures.newClient();
    await call('GET', '/api/profiles/me', { token: otherClient.token });
    await call('PUT', `/api/profiles/${otherClient.id}/role`, { token: fixtures.admin, json: { role: 'admin' } });
    expect((await callAs(otherClient, 'suspend')).status).toBe(200);
    expect((await call('GET', '/api/profiles/', { token: otherClient.token })).status).toBe(401);
    expect((await callAs({ id: fixtures.adminId }, 'suspend')).status).toBe(409);
    const deletionReply = await call('DELETE', `/api/profiles/${fixtures.adminId}`, { token: fixtures.admin });
    expect(deletionReply.status).toBe(409);
  });

  test('a reason has at most 1,000 characters', async () => {
    const client = await fixtures.newClient();
    expect((await callAs(client, 'suspend', { reason: 'x'.repeat(1_001) })).status).toBe(400);
    expect((await callAs(client, 'suspend', { reason: '😀'.repeat(1_000) })).status).toBe(200);
  });
};
