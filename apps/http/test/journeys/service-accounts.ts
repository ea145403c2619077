import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeAccountToken, scopes, type ServiceAccountId } from '@portico/domain';
import { routes } from '../../src/index.ts';
import { outcomeOf, type Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { createFixtures, expectStatus, smallDocument, textOf, unknownId, type Start } from '../subject.ts';

const accounts = '/api/service-accounts';
const invalidToken = { detail: 'Invalid or expired token' };
const invalid = (because: string) => ({ detail: `Invalid request body: ${because}` });

interface Account {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/** Tests the life cycle and the rights of service accounts. */
export const serviceAccountsSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  const create = async (name: string, accountScopes: readonly string[], fields: object = {}): Promise<Account> => {
    const reply = expectStatus(await asAdmin('POST', accounts, { name, scopes: accountScopes, ...fields }), 201);
    return { id: textOf(reply.body.id), name, token: textOf(reply.body.token) };
  };
  const publish = (token: string, name = 'Published'): Promise<Reply> =>
    call('POST', '/api/collections/', { token, json: { name, openapi_spec: smallDocument } });
  const entriesOf = async (query: string) => (await asAdmin('GET', `/api/audit/?source=system${query}`)).body.data;

  describe('the life cycle', () => {
    test('starts with a token that is returned once; lists and reads omit it', async () => {
      const created = expectStatus(
        await asAdmin('POST', accounts, { name: ' ci ', scopes: ['usage:read', 'catalog:write'] }),
        201,
      );
      const { token, ...record } = created.body;
      expect(created.headers['cache-control']).toBe('no-store');
      expect(record).toEqual({
        id: expect.any(String) as string,
        name: 'ci',
        scopes: ['catalog:write', 'usage:read'],
        expires_at: null,
        created_by: fixtures.adminId,
        created_at: expect.any(String) as string,
        updated_at: record.created_at,
      });
      const list = await asAdmin('GET', accounts);
      expect(list.list).toEqual([record]);
      const one = await asAdmin('GET', `${accounts}/${textOf(record.id).toUpperCase()}`);
      expect(one.body).toEqual(record);
      const audit = JSON.stringify(await entriesOf('&action=service_account.create'));
      expect(audit).toContain('"service_account":"ci"');
      const secret = textOf(token).slice(-49);
      for (const output of [list.text, one.text, audit, subject.logLines().join('')])
        expect(output).not.toContain(secret);
    });

    test('is audited with the account id and name, and collections outlive the account that created them', async () => {
      const { id, name, token } = await create('publisher', ['catalog:write']);
      const published = expectStatus(await publish(token), 201);
      expect(published.body.created_by).toBe(id);
      const message = { action: 'collection.create', actor: `service account ${name}` };
      expect(await entriesOf(`&actor_id=${id}`)).toMatchObject([{ message }]);
      expect((await asAdmin('DELETE', `${accounts}/${id}`)).body).toEqual({ message: 'Service account revoked' });
      expect(outcomeOf(await publish(token))).toEqual([401, invalidToken]);
      expect((await asAdmin('GET', `/api/collections/${textOf(published.body.id)}`)).body.created_by).toBe(id);
      expect((await asAdmin('GET', `${accounts}/${id}`)).status).toBe(404);
      expect(await entriesOf(`&action=service_account.revoke`)).toMatchObject([
        { message: { actor: 'admin@example.com', service_account_id: id, service_account: name } },
      ]);
    });

    test('changes take effect with the next request, and writing the current values is no change', async () => {
      const { id, token } = await create('changing', ['catalog:write']);
      const change = (fields: object) => asAdmin('PUT', `${accounts}/${id}`, fields);
      expect((await publish(token)).status).toBe(201);
      const changed = await change({ name: 'changed', scopes: ['audit:read'] });
      expect(changed.body).toMatchObject({ name: 'changed', scopes: ['audit:read'], expires_at: null });
      expect((await publish(token)).body).toEqual({ detail: 'Scope required: catalog:write' });
      expect((await call('GET', '/api/audit/', { token })).status).toBe(200);
      const same = await change({ name: 'changed', scopes: ['audit:read'], expires_at: null });
      expect(same.body.updated_at).toBe(changed.body.updated_at);
      expect(await entriesOf('&action=service_account.update')).toHaveLength(1);
    });

    test('a rotation replaces the token, immediately or after a grace period', async () => {
      const { id, token: first } = await create('rotating', ['audit:read']);
      const rotate = async (fields?: object) => {
        const reply = expectStatus(await asAdmin('POST', `${accounts}/${id}/rotate`, fields), 200);
        expect(reply.headers['cache-control']).toBe('no-store');
        return textOf(reply.body.token);
      };
      const status = async (token: string) => (await call('GET', '/api/audit/', { token })).status;
      const second = await rotate({ grace_seconds: 604_800 });
      expect([await status(first), await status(second)]).toEqual([200, 200]);
      const third = await rotate();
      expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
      const { clock } = subject;
      if (!clock) return;
      const fourth = await rotate({ grace_seconds: 60 });
      clock.advance(59_999);
      expect([await status(third), await status(fourth)]).toEqual([200, 200]);
      clock.advance(1);
      expect([await status(third), await status(fourth)]).toEqual([401, 200]);
    });

    test('expires on time, unless the expiry is removed', async () => {
      const { id, token } = await create('ending', ['audit:read'], { expires_at: '2999-01-31' });
      const read = async () => (await call('GET', '/api/audit/', { token })).status;
      const path = `${accounts}/${id}`;
      expect((await asAdmin('GET', path)).body.expires_at).toBe('2999-02-01T00:00:00.000Z');
      expect(await read()).toBe(200);
      const { clock } = subject;
      if (clock) {
        const reply = await asAdmin('POST', accounts, { name: 'now', scopes: ['audit:read'] });
        const now = Date.parse(textOf(reply.body.created_at));
        await asAdmin('PUT', path, { expires_at: new Date(now + 1_000).toISOString() });
        clock.advance(999);
        expect(await read()).toBe(200);
        clock.advance(1);
        expect(await read()).toBe(401);
      }
      expect((await asAdmin('PUT', path, { expires_at: null })).body.expires_at).toBeNull();
      expect(await read()).toBe(200);
    });
  });

  describe('limits', () => {
    const refusal = async (fields: object) =>
      outcomeOf(await asAdmin('POST', accounts, { name: 'limits', scopes: ['audit:read'], ...fields }));

    test('names have 1 to 200 characters on one line', async () => {
      await create('😀'.repeat(200), ['audit:read']);
      expect(await refusal({ name: 'x'.repeat(201) })).toEqual([400, invalid('name must have at most 200 characters')]);
      expect(await refusal({ name: ' ' })).toEqual([400, invalid('name must not be empty')]);
      const [status, body] = await refusal({ name: 'a\nb' });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('name must not contain control')]);
    });

    test('there is at least one scope, each is known and unique', async () => {
      const known = scopes.join(', ');
      expect(await refusal({ scopes: ['audit:read', 'audit:write'] })).toEqual([
        400,
        invalid(`scopes[1] must be one of ${known}`),
      ]);
      expect(await refusal({ scopes: [] })).toEqual([400, invalid(`scopes must name at least one of ${known}`)]);
      expect(await refusal({ scopes: ['audit:read', 'audit:read'] })).toEqual([
        400,
        invalid('scopes must not name a scope twice'),
      ]);
      await create('every scope', scopes);
    });

    test('the expiry is in the future, even for an unknown account', async () => {
      const past = {
        detail: expect.stringMatching(/: expires_at must be in the future, it is \d{4}-.* now$/) as string,
      };
      expect(await refusal({ expires_at: '2020-01-31T00:00:00Z' })).toEqual([400, past]);
      const { id } = await create('no past', ['audit:read']);
      for (const each of [id, unknownId]) {
        const reply = await asAdmin('PUT', `${accounts}/${each}`, { expires_at: '2020-01-31' });
        expect([reply.status, reply.body]).toEqual([400, past]);
      }
    });

    test('a name is unique, ignoring case', async () => {
      await create('Größe', ['audit:read']);
      const { id } = await create('another', ['audit:read']);
      const conflict = { detail: 'Service account already exists' };
      expect(await refusal({ name: 'gRÖßE' })).toEqual([409, conflict]);
      expect((await asAdmin('PUT', `${accounts}/${id}`, { name: 'größe' })).body).toEqual(conflict);
    });
  });

  test.each(routes.filter(({ auth }) => auth !== 'free' && auth !== 'open').map((route) => [route.operation, route]))(
    '%s denies service accounts without its scope, and does not count their requests',
    async (operation, { method, path, scope }) => {
      const otherScope = scope === 'usage:read' ? 'audit:read' : 'usage:read';
      const { token } = await create(`no ${operation}`, [otherScope]);
      const reply = await call(method, path.replace(/:\w+/g, unknownId), { token });
      const detail = scope === null ? 'Not available to service accounts' : `Scope required: ${scope}`;
      expect([reply.status, reply.body]).toEqual([403, { detail }]);
      expect(reply.headers.ratelimit).toBeUndefined();
    },
  );

  test('a request needs the scope of its effect on every route', async () => {
    const group = textOf(expectStatus(await asAdmin('POST', '/api/groups', { name: 'Scoped crew' }), 201).body.id);
    const plan = { name: 'Planned', openapi_spec: smallDocument };
    const scopeRequired = (scope: string) => [403, { detail: `Scope required: ${scope}` }];
    const outcomeWith = async (scope: string, method: string, path: string, json?: object) => {
      const { token } = await create(`asks ${randomUUID()}`, [scope]);
      const { status, body } = await call(method, path, { token, ...(json ? { json } : {}) });
      return status === 403 ? [status, body] : status;
    };
    const changeGroup = (tier: unknown) => outcomeWith('access:write', 'PUT', `/api/groups/${group}`, { tier });
    const createGroup = (tier: unknown) =>
      outcomeWith('access:write', 'POST', '/api/groups', { name: randomUUID(), tier });
    for (const tier of ['gold', 7]) expect(await createGroup(tier)).toEqual(scopeRequired('limits:write'));
    for (const tier of [null, ' ', undefined]) expect(await createGroup(tier)).toBe(201);
    for (const tier of ['gold', null, 7]) expect(await changeGroup(tier)).toEqual(scopeRequired('limits:write'));
    for (const tier of [' ', undefined]) expect(await changeGroup(tier)).toBe(200);

    for (const path of ['/api/profiles/', `/api/profiles/${fixtures.adminId}`]) {
      expect(await outcomeWith('access:read', 'GET', `${path}?include=bound,tier`)).toEqual(
        scopeRequired('limits:write'),
      );
      expect(await outcomeWith('access:read', 'GET', `${path}?include=usage`)).toEqual(scopeRequired('usage:read'));
      expect(await outcomeWith('access:read', 'GET', `${path}?include=bound,key,suspension`)).toBe(200);
    }
    const collection = await fixtures.newCollection();
    for (const path of ['/api/collections/', `/api/collections/${collection}`]) {
      expect(await outcomeWith('catalog:read', 'GET', `${path}?include=usage`)).toEqual(scopeRequired('usage:read'));
      expect(await outcomeWith('catalog:read', 'GET', `${path}?include=discoverable`)).toBe(200);
    }
    expect(await outcomeWith('catalog:write', 'POST', '/api/imports/plan', plan)).toEqual(
      scopeRequired('catalog:read'),
    );
    expect(await outcomeWith('catalog:read', 'POST', '/api/imports/plan', plan)).toBe(200);
  });

  test('an account sees every collection, is not counted, and records no use', async () => {
    const hidden = await fixtures.newCollection({ name: 'Hidden' });
    const { id, token } = await create('reading', ['catalog:read', 'usage:read']);
    const list = await call('GET', '/api/collections/', { token });
    expect(list.list.map((collection) => collection.id)).toContain(hidden);
    expect(list.headers.ratelimit).toBeUndefined();
    const read = await call('GET', `/api/collections/${hidden}`, { token });
    expect([read.status, read.body.name]).toEqual([200, 'Hidden']);
    await subject.useCases.writeUsage();
    expect((await call('GET', `/api/usage?collection_id=${hidden}`, { token })).list).toEqual([]);
    expect((await call('GET', '/metrics')).text).toMatch(/^uses_total\{kind="read"\} [1-9]/m);
    const line = subject.logLines().find((one) => one.includes(`"service_account_id":"${id}"`));
    expect(line).toContain('"route":"/api/collections/"');
    expect(line).not.toContain('profile_id');
  });
};

/** Tests the rate limiting of wrong service account tokens. */
export const failedAccountsSuite = (start: Start): void => {
  test('a wrong token of a service account counts as a failed credential, and never locks out the right one', async () => {
    const subject = await start({ settings: { failedCredentialsLimit: { allowed: 2, windowSeconds: 60 } } });
    try {
      const fixtures = await createFixtures(subject);
      const json = { name: 'robot', scopes: ['audit:read'] };
      const created = await subject.client.call('POST', accounts, { token: fixtures.admin, json });
      const token = textOf(created.body.token);
      const mistyped = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const wrong = makeAccountToken(textOf(created.body.id) as ServiceAccountId, new Uint8Array(32));
      const status = async (one: string) => (await subject.client.call('GET', '/api/audit/', { token: one })).status;
      expect([await status(mistyped), await status(wrong), await status(wrong)]).toEqual([401, 401, 429]);
      expect(await status(token)).toBe(200);
    } finally {
      await subject.close();
    }
  });
};
