import { describe, expect, test } from 'vitest';
import { expectError, outcomeOf, errorOf } from '../reply.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start, type Subject } from '../subject.ts';

const invalidBodyPrefix = 'Invalid request body: ';

/**
 * Creates a function that checks the remaining seconds of a window that begins after this call. If the clock is
 * stopped, the whole window must remain; otherwise, the remaining time may be shorter by up to the elapsed time.
 */
const createResetCheck = ({ clock }: Subject, seconds: number) => {
  const startedAt = performance.now();
  return (reset: string | undefined): boolean => {
    const elapsedSeconds = clock ? 0 : Math.ceil((performance.now() - startedAt) / 1_000);
    return /^\d+$/.test(reset ?? '') && Number(reset) <= seconds && Number(reset) >= seconds - elapsedSeconds;
  };
};

/** Parses a `RateLimit` header. */
const quotaOf = (header: string | undefined) => {
  const [, policy, remaining, reset] = /^"([a-z-]+)";r=(\d+);t=(\d+)$/.exec(header ?? '') ?? [];
  return { policy, remaining: Number(remaining), reset };
};

/** Tests tiers, overrides, the effective limit, and the responses to a limited caller. */
export const limitsSuite = (start: Start): void => {
  const {
    subject,
    fixtures,
    call,
    asAdmin: callAsAdmin,
  } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 100, windowSeconds: 60 } },
  });
  const asAdmin = (method: string, path: string, json?: unknown) =>
    callAsAdmin(method, `/api/rate-limits${path}`, json);
  const newTier = (fields: Readonly<Record<string, unknown>>) =>
    asAdmin('POST', '/tiers', { allowed_limit: 10, window_seconds: 60, ...fields });

  describe('tiers', () => {
    test('are created, changed in part, listed by name and deleted', async () => {
      const createdTier = await newTier({ tier: 'silver', description: ' Second ' });
      expect(createdTier.status).toBe(201);
      const { created_at, updated_at, ...rest } = createdTier.body;
      expect(rest).toEqual({
        tier: 'silver',
        allowed_limit: 10,
        window_seconds: 60,
        description: 'Second',
        is_active: true,
      });
      expect(updated_at).toBe(created_at);
      expect((await newTier({ tier: 'silver' })).body).toEqual({ detail: 'Tier already exists' });
      const changedTier = await asAdmin('PUT', '/tiers/silver', { allowed_limit: 20, is_active: false, tier: 'other' });
      expect(changedTier.body).toMatchObject({
        tier: 'silver',
        allowed_limit: 20,
        window_seconds: 60,
        is_active: false,
      });
      await newTier({ tier: 'bronze' });
      expect((await asAdmin('GET', '/tiers')).list.map(({ tier }) => tier)).toEqual(['bronze', 'silver']);
      const { key, token } = await fixtures.newClient();
      for (const credential of [{ key }, { token }]) {
        const active = await call('GET', '/api/rate-limits/tiers/active/all', credential);
        expect(active.list.map(({ tier }) => tier)).toEqual(['bronze']);
      }
      expect(outcomeOf(await asAdmin('DELETE', '/tiers/silver'))).toEqual([200, { message: 'Tier deleted' }]);
      expect((await asAdmin('DELETE', '/tiers/silver')).body).toEqual({ detail: 'Tier not found' });
    });

    test.each(['a', '0', 'a-b_c9', 'x'.repeat(63)])('%s is a valid name', async (tier) => {
      expect((await newTier({ tier })).status).toBe(201);
    });

    test.each(['', '-a', '_a', 'A', 'a b', 'é', 'x'.repeat(64), null, 5, undefined])('%j is invalid', async (tier) => {
      const reply = await newTier({ tier });
      expect([reply.status, textOf(reply.body.detail).startsWith(`${invalidBodyPrefix}tier`)]).toEqual([400, true]);
    });

    test.each([
      ['allowed_limit', 1_000_000_000],
      ['window_seconds', 2_678_400],
    ])('%s must be between 1 and %i', async (field, max) => {
      const name = `edge-${field.slice(0, 3)}`;
      for (const [index, value] of [1, max].entries()) {
        expect((await newTier({ tier: `${name}${index}`, [field]: value })).status).toBe(201);
      }
      for (const value of [0, -1, max + 1, 1.5, '5', null, true, undefined]) {
        expect((await newTier({ tier: 'never', [field]: value })).status).toBe(400);
      }
      for (const value of [0, max + 1, 1.5, 'x']) {
        expect((await asAdmin('PUT', `/tiers/${name}0`, { [field]: value })).status).toBe(400);
      }
      expect((await asAdmin('PUT', `/tiers/${name}0`, { [field]: null })).body).toMatchObject({ [field]: 1 });
    });

    test('deleting a tier removes its assignments, and a new tier with the same name starts without clients', async () => {
      const client = await fixtures.newClient();
      const assign = () =>
        call('PUT', `/api/profiles/${client.id}/tier`, { token: fixtures.admin, json: { tier: 'brief' } });
      const readPolicy = async () =>
        (await call('GET', '/api/profiles/me', { token: client.token })).headers['ratelimit-policy'];
      await newTier({ tier: 'brief', allowed_limit: 7, window_seconds: 5 });
      const assignReply = await assign();
      expect([assignReply.body.tier, await readPolicy()]).toEqual(['brief', '"tier";q=7;w=5']);
      await asAdmin('DELETE', '/tiers/brief');
      expect(await readPolicy()).toBe('"default";q=100;w=60');
      expect((await assign()).body).toEqual({ detail: 'Tier not found' });
      await newTier({ tier: 'brief', allowed_limit: 8, window_seconds: 5 });
      expect(await readPolicy()).toBe('"default";q=100;w=60');
      const profiles = (await call('GET', '/api/profiles/?include=tier', { token: fixtures.admin })).list;
      expect(profiles.find(({ id }) => id === client.id)).toMatchObject({ tier: null });
      const ownProfile = await call('GET', '/api/profiles/me', { token: client.token });
      expect(textOf(ownProfile.body.updated_at) > textOf(assignReply.body.updated_at)).toBe(true);
    });

    test('an unknown tier is a 404 if the body is valid', async () => {
      for (const name of ['missing', 'MISSING', 'a%00', '%F0%9F%98%80', 'x'.repeat(64)]) {
        expect((await asAdmin('PUT', `/tiers/${name}`, {})).body).toEqual({ detail: 'Tier not found' });
        expect((await asAdmin('DELETE', `/tiers/${name}`)).status).toBe(404);
      }
      expect((await asAdmin('PUT', '/tiers/missing', { allowed_limit: 0 })).status).toBe(400);
    });
  });

  describe('overrides', () => {
    const override = (client_id: unknown, fields: Readonly<Record<string, unknown>> = {}) =>
      asAdmin('POST', '/overrides', { client_id, allowed_limit: 7, window_seconds: 30, ...fields });

    test('are created with either id; a new active override deactivates the previous one', async () => {
      const client = await fixtures.newClient();
      const firstOverride = await override(client.key.clientId);
      expect(firstOverride.status).toBe(201);
      expect(Object.keys(firstOverride.body)).toEqual([
        'id',
        'client_id',
        'allowed_limit',
        'window_seconds',
        'is_active',
        'created_at',
        'updated_at',
      ]);
      const secondOverride = await override(client.id, { allowed_limit: 9 });
      expect(secondOverride.body).toMatchObject({ client_id: client.key.clientId, allowed_limit: 9, is_active: true });
      const readStates = async (query: string) =>
        (await asAdmin('GET', `/overrides${query}`)).list
          .filter(({ client_id }) => client_id === client.key.clientId)
          .map(({ id, is_active }) => [id, is_active]);
      expect(await readStates('')).toEqual([
        [firstOverride.body.id, false],
        [secondOverride.body.id, true],
      ]);
      expect(await readStates('?active_only=TRUE')).toEqual([[secondOverride.body.id, true]]);
      expect((await readStates('?active_only=false')).length).toBe(2);
    });

    test('are changed in part and deleted', async () => {
      const client = await fixtures.newClient();
      const { id } = (await override(client.key.clientId, { is_active: false })).body;
      const path = `/overrides/${String(id)}`;
      const changedOverride = await asAdmin('PUT', path, { allowed_limit: 8 });
      expect(changedOverride.body).toMatchObject({ id, allowed_limit: 8, window_seconds: 30, is_active: false });
      expect((await asAdmin('PUT', path, { is_active: true })).body.is_active).toBe(true);
      expect((await asAdmin('PUT', path, { is_active: 'yes' })).status).toBe(400);
      expect(outcomeOf(await asAdmin('DELETE', path))).toEqual([200, { message: 'Override deleted' }]);
      expect((await asAdmin('PUT', path, {})).body).toEqual({ detail: 'Override not found' });
    });

    test.each(['0', '-1', 'x', '1.5', '99999999999', '2147483648', unknownId])('the id %s is unknown', async (id) => {
      expect((await asAdmin('DELETE', `/overrides/${id}`)).body).toEqual({ detail: 'Override not found' });
      expect((await asAdmin('PUT', `/overrides/${id}`, {})).status).toBe(404);
    });

    test('an unknown client is a 404; an empty string or a value of a different type is a 400', async () => {
      const pendingPerson = await fixtures.register();
      for (const client of [unknownId, 'malformed', fixtures.adminId, pendingPerson.id]) {
        expectError(await override(client), 404, 'Client not found');
      }
      for (const client of [undefined, null, 5, '']) expect((await override(client)).status).toBe(400);
    });

    test('active_only that is neither true nor false is a 400', async () => {
      for (const value of ['yes', '1', 'null']) {
        const reply = await asAdmin('GET', `/overrides?active_only=${value}`);
        expect(reply.body).toEqual({ detail: 'Invalid query parameter: active_only must be true or false' });
      }
      expect((await asAdmin('GET', '/overrides?active_only=true&active_only=true')).status).toBe(400);
    });
  });

  describe('the effective limit', () => {
    const readEffective = (id: string, credential: { token: string }) =>
      call('GET', `/api/rate-limits/effective/${id}`, credential);

    test('comes from the override, otherwise from the tier, otherwise it is the default', async () => {
      const client = await fixtures.newClient();
      const readLimit = async () => (await readEffective(client.key.clientId, { token: fixtures.admin })).body;
      expect(await readLimit()).toEqual({
        client_id: client.key.clientId,
        allowed_limit: 100,
        window_seconds: 60,
        source: 'default',
        tier: null,
        override_id: null,
        remaining: 100,
        reset_seconds: 0,
      });
      await newTier({ tier: 'effective', allowed_limit: 50 });
      await call('PUT', `/api/profiles/${client.id}/tier`, { token: fixtures.admin, json: { tier: 'effective' } });
      expect(await readLimit()).toMatchObject({ allowed_limit: 50, source: 'tier', tier: 'effective' });
      await asAdmin('PUT', '/tiers/effective', { is_active: false });
      expect(await readLimit()).toMatchObject({ source: 'default', tier: null });
      await asAdmin('PUT', '/tiers/effective', { is_active: true });
      const rule = { client_id: client.id, allowed_limit: 5, window_seconds: 60 };
      const { id } = (await asAdmin('POST', '/overrides', rule)).body;
      expect(await readLimit()).toMatchObject({ allowed_limit: 5, source: 'override', override_id: id });
      await asAdmin('DELETE', `/overrides/${String(id)}`);
      await asAdmin('DELETE', '/tiers/effective');
      expect(await readLimit()).toMatchObject({ source: 'default' });
    });

    test('can be read by the client itself only, with either credential and either id', async () => {
      const client = await fixtures.newClient();
      const otherClient = await fixtures.newClient();
      for (const id of [client.id, client.key.clientId]) {
        expect((await readEffective(id, { token: client.token })).status).toBe(200);
        expect((await call('GET', `/api/rate-limits/effective/${id}`, { key: client.key })).status).toBe(200);
      }
      for (const id of [otherClient.id, unknownId, 'malformed']) {
        expectError(await readEffective(id, { token: client.token }), 403, 'Admin access required');
        if (id !== otherClient.id) expect((await readEffective(id, { token: fixtures.admin })).status).toBe(404);
      }
    });
  });

  describe('a limited client', () => {
    test('sees its remaining quota, which tokens and keys share, is rejected once it is used up, and is admitted again later', async () => {
      const client = await fixtures.newClient();
      await asAdmin('POST', '/overrides', { client_id: client.id, allowed_limit: 3, window_seconds: 60 });
      const path = '/api/rate-limits/tiers/active/all';
      const isValidReset = createResetCheck(subject, 60);
      const firstReply = await call('GET', path, { token: client.token });
      expect(firstReply.headers['ratelimit-policy']).toBe('"override";q=3;w=60');
      const createExpectedQuota = (remaining: number) => ({
        policy: 'override',
        remaining,
        reset: expect.toSatisfy(isValidReset) as string,
      });
      expect(quotaOf(firstReply.headers.ratelimit)).toEqual(createExpectedQuota(2));
      expect((await call('GET', path, { key: client.key })).status).toBe(200);
      const notFound = await call('GET', `/api/collections/${unknownId}`, { key: client.key });
      expect([notFound.status, quotaOf(notFound.headers.ratelimit)]).toEqual([404, createExpectedQuota(0)]);
      const rejection = await call('GET', path, { key: client.key });
      expect(rejection.status).toBe(429);
      expect(rejection.body.detail).toBe('Rate limit exceeded');
      expect(rejection.headers['retry-after']).toSatisfy(isValidReset);
      expect(rejection.body.retry_after).toBe(Number(rejection.headers['retry-after']));
      expect(rejection.headers['ratelimit-policy']).toBe('"override";q=3;w=60');
      // The limit is checked before the role.
      expect((await asAdmin('GET', '/tiers')).headers['ratelimit']).toBeUndefined();
      expect((await call('GET', '/api/rate-limits/tiers', { token: client.token })).status).toBe(429);
      if (!subject.clock) return;
      subject.clock.advance(60_000);
      expect((await call('GET', path, { key: client.key })).status).toBe(200);
    });

    test('a request that is denied because of the role is also counted', async () => {
      const client = await fixtures.newClient();
      const reply = await call('GET', '/api/rate-limits/tiers', { token: client.token });
      expect([reply.status, reply.headers['ratelimit-policy']]).toEqual([403, '"default";q=100;w=60']);
    });
  });
};

/** Tests callers without valid credentials, which are counted by address. */
export const anonymousCallersSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start, {
    settings: {
      anonymousLimit: { allowed: 6, windowSeconds: 60 },
      failedCredentialsLimit: { allowed: 2, windowSeconds: 60 },
    },
    http: { trustProxy: ['127.0.0.1'] },
  });
  const from = (address: string) => ({ headers: ['X-Forwarded-For', address] });

  test('are counted by the address that the proxy forwards, including registrations', async () => {
    const register = (address: string) => call('POST', '/api/profiles/register', { json: {}, ...from(address) });
    const isValidReset = createResetCheck(subject, 60);
    for (let remaining = 5; remaining >= 0; remaining--) {
      const reply = await register('192.0.2.1');
      expect([reply.status, quotaOf(reply.headers.ratelimit)]).toEqual([
        400,
        { policy: 'anonymous', remaining, reset: expect.toSatisfy(isValidReset) as string },
      ]);
    }
    expect((await register('192.0.2.1')).status).toBe(429);
    expect((await register('192.0.2.2')).status).toBe(400);
  });

  test('failed credentials have their own limit, which is checked first', async () => {
    const attempt = () => call('GET', '/api/collections/', { token: 'wrong', ...from('192.0.2.3') });
    expect([(await attempt()).status, (await attempt()).status]).toEqual([401, 401]);
    const rejection = await attempt();
    expect([rejection.status, rejection.headers['ratelimit-policy']]).toEqual([429, '"failed-credentials";q=2;w=60']);
  });

  test('failed key pairs are counted together, whether in two headers or in one string', async () => {
    const { key } = await fixtures.newClient();
    const wrongKey = `${key.clientId}.${key.secret.slice(0, -1)}`;
    const forms: readonly CallOptions[] = [
      { key: { ...key, secret: key.secret.slice(0, -1) } },
      { headers: ['X-API-Key', wrongKey] },
      { token: wrongKey },
    ];
    for (const [index, firstForm] of forms.entries()) {
      const attempt = ({ headers = [], ...rest }: CallOptions) =>
        call('GET', '/api/rate-limits/tiers/active/all', {
          ...rest,
          headers: [...headers, ...from(`192.0.2.${10 + index}`).headers],
        });
      for (const form of [firstForm, forms[(index + 1) % forms.length] ?? firstForm]) {
        expect(errorOf(await attempt(form))).toEqual([401, 'Invalid API credentials']);
      }
      const rejection = await attempt(firstForm);
      expect([rejection.status, rejection.headers['ratelimit-policy']]).toEqual([429, '"failed-credentials";q=2;w=60']);
    }
  });

  test('free routes are never counted', async () => {
    for (let count = 0; count < 10; count++) {
      const reply = await call('GET', '/health', from('192.0.2.4'));
      expect([reply.status, reply.headers.ratelimit]).toEqual([200, undefined]);
    }
  });

  test('valid credentials are never limited by address', async () => {
    for (let count = 0; count < 10; count++) {
      const reply = await call('GET', '/api/profiles/', { token: fixtures.admin, ...from('192.0.2.3') });
      expect(reply.status).toBe(200);
    }
  });
};
