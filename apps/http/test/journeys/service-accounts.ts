import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeAccountToken, scopes, type ServiceAccountId } from '@portico/domain';
import { routes } from '../../src/index.ts';
import { outcomeOf, type Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { createFixtures, expectStatus, smallDocument, textOf, unknownId, type Start } from '../subject.ts';

const accounts = '/api/service-accounts';
const invalidToken = { detail: 'Invalid or expired token' };
const createInvalidBodyError = (because: string) => ({ detail: `Invalid request body: ${because}` });

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
    test('starts with a token that is returned only once', async () => {
      const createdReply = expectStatus(
        await asAdmin('POST', accounts, { name: ' ci ', scopes: ['usage:read', 'catalog:write'] }),
        201,
      );
      const { token, ...record } = createdReply.body;
      expect(createdReply.headers['cache-control']).toBe('no-store');
      expect(record).toEqual({
        id: expect.any(String) as string,
        name: 'ci',
        scopes: ['catalog:write', 'usage:read'],
        expires_at: null,
        created_by: fixtures.adminId,
        created_at: expect.any(String) as string,
        updated_at: record.created_at,
      });
      const listReply = await asAdmin('GET', accounts);
      expect(listReply.list).toEqual([record]);
      const accountReply = await asAdmin('GET', `${accounts}/${textOf(record.id).toUpperCase()}`);
      expect(accountReply.body).toEqual(record);
      const audit = JSON.stringify(await entriesOf('&action=service_account.create'));
      expect(audit).toContain('"service_account":"ci"');
      const secret = textOf(token).slice(-49);
      for (const output of [listReply.text, accountReply.text, audit, subject.listLogLines().join('')])
        expect(output).not.toContain(secret);
    });

    test('is audited with the id and name of the account, and collections remain after the account that created them is revoked', async () => {
      const { id, name, token } = await create('publisher', ['catalog:write']);
      const publishedBody = expectStatus(await publish(token), 201);
      expect(publishedBody.body.created_by).toBe(id);
      const message = { action: 'collection.create', actor: `service account ${name}` };
      expect(await entriesOf(`&actor_id=${id}`)).toMatchObject([{ message }]);
      expect((await asAdmin('DELETE', `${accounts}/${id}`)).body).toEqual({ message: 'Service account revoked' });
      expect(outcomeOf(await publish(token))).toEqual([401, invalidToken]);
      expect((await asAdmin('GET', `/api/collections/${textOf(publishedBody.body.id)}`)).body.created_by).toBe(id);
      expect((await asAdmin('GET', `${accounts}/${id}`)).status).toBe(404);
      expect(await entriesOf(`&action=service_account.revoke`)).toMatchObject([
        { message: { actor: 'admin@example.com', service_account_id: id, service_account: name } },
      ]);
    });

    test('changes take effect as of the next request, and writing the current values changes nothing', async () => {
      const { id, token } = await create('changing', ['catalog:write']);
      const change = (fields: object) => asAdmin('PUT', `${accounts}/${id}`, fields);
      expect((await publish(token)).status).toBe(201);
      const changedReply = await change({ name: 'changed', scopes: ['audit:read'] });
      expect(changedReply.body).toMatchObject({ name: 'changed', scopes: ['audit:read'], expires_at: null });
      expect((await publish(token)).body).toEqual({ detail: 'Scope required: catalog:write' });
      expect((await call('GET', '/api/audit/', { token })).status).toBe(200);
      const unchangedReply = await change({ name: 'changed', scopes: ['audit:read'], expires_at: null });
      expect(unchangedReply.body.updated_at).toBe(changedReply.body.updated_at);
      expect(await entriesOf('&action=service_account.update')).toHaveLength(1);
    });

    test('rotating an account replaces the token immediately or after a grace period', async () => {
      const { id, token: firstToken } = await create('rotating', ['audit:read']);
      const rotate = async (fields?: object) => {
        const reply = expectStatus(await asAdmin('POST', `${accounts}/${id}/rotate`, fields), 200);
        expect(reply.headers['cache-control']).toBe('no-store');
        return textOf(reply.body.token);
      };
      const readStatus = async (token: string) => (await call('GET', '/api/audit/', { token })).status;
      const secondReply = await rotate({ grace_seconds: 604_800 });
      expect([await readStatus(firstToken), await readStatus(secondReply)]).toEqual([200, 200]);
      const thirdReply = await rotate();
      expect([await readStatus(firstToken), await readStatus(secondReply), await readStatus(thirdReply)]).toEqual([
        401, 401, 200,
      ]);
      const { clock } = subject;
      if (!clock) return;
      const fourthReply = await rotate({ grace_seconds: 60 });
      clock.advance(59_999);
      expect([await readStatus(thirdReply), await readStatus(fourthReply)]).toEqual([200, 200]);
      clock.advance(1);
      expect([await readStatus(thirdReply), await readStatus(fourthReply)]).toEqual([401, 200]);
    });

    test('expires on time, unless the expiry is removed', async () => {
      const { id, token } = await create('ending', ['audit:read'], { expires_at: '2999-01-31' });
      const readStatus = async () => (await call('GET', '/api/audit/', { token })).status;
      const path = `${accounts}/${id}`;
      expect((await asAdmin('GET', path)).body.expires_at).toBe('2999-02-01T00:00:00.000Z');
      expect(await readStatus()).toBe(200);
      const { clock } = subject;
      if (clock) {
        const reply = await asAdmin('POST', accounts, { name: 'now', scopes: ['audit:read'] });
        const now = Date.parse(textOf(reply.body.created_at));
        await asAdmin('PUT', path, { expires_at: new Date(now + 1_000).toISOString() });
        clock.advance(999);
        expect(await readStatus()).toBe(200);
        clock.advance(1);
        expect(await readStatus()).toBe(401);
      }
      expect((await asAdmin('PUT', path, { expires_at: null })).body.expires_at).toBeNull();
      expect(await readStatus()).toBe(200);
    });
  });

  describe('limits', () => {
    const createAndGetOutcome = async (fields: object) =>
      outcomeOf(await asAdmin('POST', accounts, { name: 'limits', scopes: ['audit:read'], ...fields }));

    test('names have 1 to 200 characters on one line', async () => {
      await create('😀'.repeat(200), ['audit:read']);
      expect(await createAndGetOutcome({ name: 'x'.repeat(201) })).toEqual([
        400,
        createInvalidBodyError('name must have at most 200 characters'),
      ]);
      expect(await createAndGetOutcome({ name: ' ' })).toEqual([400, createInvalidBodyError('name must not be empty')]);
      const [status, body] = await createAndGetOutcome({ name: 'a\nb' });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('name must not contain control')]);
    });

    test('an account has at least one scope; scopes must be known and unique', async () => {
      const knownScopes = scopes.join(', ');
      expect(await createAndGetOutcome({ scopes: ['audit:read', 'audit:write'] })).toEqual([
        400,
        createInvalidBodyError(`scopes[1] must be one of ${knownScopes}`),
      ]);
      expect(await createAndGetOutcome({ scopes: [] })).toEqual([
        400,
        createInvalidBodyError(`scopes must name at least one of ${knownScopes}`),
      ]);
      expect(await createAndGetOutcome({ scopes: ['audit:read', 'audit:read'] })).toEqual([
        400,
        createInvalidBodyError('scopes must not name a scope twice'),
      ]);
      await create('every scope', scopes);
    });

    test('the expiry must be in the future, even for an unknown account', async () => {
      const pastExpiry = {
        detail: expect.stringMatching(/: expires_at must be in the future; it is now \d{4}-.*$/) as string,
      };
      expect(await createAndGetOutcome({ expires_at: '2020-01-31T00:00:00Z' })).toEqual([400, pastExpiry]);
      const { id } = await create('no past', ['audit:read']);
      for (const accountId of [id, unknownId]) {
        const reply = await asAdmin('PUT', `${accounts}/${accountId}`, { expires_at: '2020-01-31' });
        expect([reply.status, reply.body]).toEqual([400, pastExpiry]);
      }
    });

    test('a name is unique, ignoring case', async () => {
      await create('Größe', ['audit:read']);
      const { id } = await create('another', ['audit:read']);
      const conflict = { detail: 'Service account already exists' };
      expect(await createAndGetOutcome({ name: 'gRÖßE' })).toEqual([409, conflict]);
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

  test('every route requires the scope of its effect', async () => {
    const group = textOf(expectStatus(await asAdmin('POST', '/api/groups', { name: 'Scoped crew' }), 201).body.id);
    const plan = { name: 'Planned', openapi_spec: smallDocument };
    const createScopeError = (scope: string) => [403, { detail: `Scope required: ${scope}` }];
    const getOutcome = async (scope: string, method: string, path: string, json?: object) => {
      const { token } = await create(`asks ${randomUUID()}`, [scope]);
      const { status, body } = await call(method, path, { token, ...(json ? { json } : {}) });
      return status === 403 ? [status, body] : status;
    };
    const changeGroup = (tier: unknown) => getOutcome('access:write', 'PUT', `/api/groups/${group}`, { tier });
    const createGroup = (tier: unknown) =>
      getOutcome('access:write', 'POST', '/api/groups', { name: randomUUID(), tier });
    for (const tier of ['gold', 7]) expect(await createGroup(tier)).toEqual(createScopeError('limits:write'));
    for (const tier of [null, ' ', undefined]) expect(await createGroup(tier)).toBe(201);
    for (const tier of ['gold', null, 7]) expect(await changeGroup(tier)).toEqual(createScopeError('limits:write'));
    for (const tier of [' ', undefined]) expect(await changeGroup(tier)).toBe(200);

    for (const path of ['/api/profiles/', `/api/profiles/${fixtures.adminId}`]) {
      expect(await getOutcome('access:read', 'GET', `${path}?include=bound,tier`)).toEqual(
        createScopeError('limits:write'),
      );
      expect(await getOutcome('access:read', 'GET', `${path}?include=usage`)).toEqual(createScopeError('usage:read'));
      expect(await getOutcome('access:read', 'GET', `${path}?include=bound,key,suspension`)).toBe(200);
    }
    const collection = await fixtures.newCollection();
    for (const path of ['/api/collections/', `/api/collections/${collection}`]) {
      expect(await getOutcome('catalog:read', 'GET', `${path}?include=usage`)).toEqual(createScopeError('usage:read'));
      expect(await getOutcome('catalog:read', 'GET', `${path}?include=discoverable`)).toBe(200);
    }
    expect(await getOutcome('catalog:write', 'POST', '/api/imports/plan', plan)).toEqual(
      createScopeError('catalog:read'),
    );
    expect(await getOutcome('catalog:read', 'POST', '/api/imports/plan', plan)).toBe(200);
  });

  test('an account sees all collections, is not rate limited, and its requests do not count as uses', async () => {
    const hiddenCollection = await fixtures.newCollection({ name: 'Hidden' });
    const { id, token } = await create('reading', ['catalog:read', 'usage:read']);
    const listReply = await call('GET', '/api/collections/', { token });
    expect(listReply.list.map((collection) => collection.id)).toContain(hiddenCollection);
    expect(listReply.headers.ratelimit).toBeUndefined();
    const collectionReply = await call('GET', `/api/collections/${hiddenCollection}`, { token });
    expect([collectionReply.status, collectionReply.body.name]).toEqual([200, 'Hidden']);
    await subject.useCases.writeUsage();
    expect((await call('GET', `/api/usage?collection_id=${hiddenCollection}`, { token })).list).toEqual([]);
    expect((await call('GET', '/metrics')).text).toMatch(/^uses_total\{kind="read"\} [1-9]/m);
    const line = subject.listLogLines().find((logLine) => logLine.includes(`"service_account_id":"${id}"`));
    expect(line).toContain('"route":"/api/collections/"');
    expect(line).not.toContain('profile_id');
  });
};

/** Tests the rate limiting of wrong service account tokens. */
export const failedAccountsSuite = (start: Start): void => {
  test('a wrong token of a service account counts as a failed credential, and never locks out the correct token', async () => {
    const subject = await start({ settings: { failedCredentialsLimit: { allowed: 2, windowSeconds: 60 } } });
    try {
      const fixtures = await createFixtures(subject);
      const json = { name: 'robot', scopes: ['audit:read'] };
      const createdReply = await subject.client.call('POST', accounts, { token: fixtures.admin, json });
      const token = textOf(createdReply.body.token);
      const mistypedToken = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const wrongToken = makeAccountToken(textOf(createdReply.body.id) as ServiceAccountId, new Uint8Array(32));
      const readStatus = async (accountToken: string) =>
        (await subject.client.call('GET', '/api/audit/', { token: accountToken })).status;
      expect([await readStatus(mistypedToken), await readStatus(wrongToken), await readStatus(wrongToken)]).toEqual([
        401, 401, 429,
      ]);
      expect(await readStatus(token)).toBe(200);
    } finally {
      await subject.close();
    }
  });
};
