import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, type Person, type Start } from '../subject.ts';

const path = '/api/profiles/register';
const bodyOf = (uid: string, email = `${uid}@example.com`) => ({ firebase_uid: uid, email, full_name: 'Alice' });
const emailMismatch = { detail: 'Invalid request body: email must be that of the token' };
const invalidToken = { detail: 'Invalid or expired token' };

/** Tests the binding of tokens to profiles. */
export const identitiesSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  const readOwnProfile = (token: string) => call('GET', '/api/profiles/me', { token });
  const isBound = async (id: unknown) => {
    const { list } = await call('GET', '/api/profiles/?include=bound', { token: fixtures.admin });
    return list.find((profile) => profile.id === id)?.bound;
  };
  const readEntries = async (action: string, { id }: Pick<Person, 'id'>) => {
    const query = `source=system&action=${action}&actor_id=${id}`;
    const { body } = await call('GET', `/api/audit/?${query}`, { token: fixtures.admin });
    return (body.data as { message: unknown }[]).map(({ message }) => message);
  };

  describe('the first token', () => {
    test.each([
      ['without an email', {}],
      ['with an empty email', { email: '' }],
      ['with a blank email', { email: '  ', emailVerified: true }],
      ['with a different email address', { email: 'mallory@evil.example', emailVerified: true }],
    ])('%s binds nothing', async (_case, claims) => {
      const person = await fixtures.newClient();
      const token = await subject.mint({ uid: person.uid, ...claims });
      expect((await readOwnProfile(token)).status).toBe(404);
      for (const otherPath of ['/api/collections/', '/api/rate-limits/tiers/active/all']) {
        expect(outcomeOf(await call('GET', otherPath, { token }))).toEqual([401, invalidToken]);
      }
      expect((await call('POST', '/api/profiles/me/credentials', { token })).status).toBe(401);
      expect(await isBound(person.id)).toBe(false);
      expect(await readEntries('profile.bind', person)).toEqual([]);
    });

    test('with the email address of the profile binds it; later tokens need no email address', async () => {
      const person = await fixtures.register();
      expect(
        (await readOwnProfile(await subject.mint({ uid: person.uid, email: person.email.toUpperCase() }))).status,
      ).toBe(200);
      for (const claims of [{}, { email: '' }, { email: 'new@example.com' }]) {
        expect((await readOwnProfile(await subject.mint({ uid: person.uid, ...claims }))).status).toBe(200);
      }
    });

    test('writes one audit entry, with the bound profile as its actor', async () => {
      const person = await fixtures.register();
      await Promise.all([readOwnProfile(person.token), readOwnProfile(person.token), readOwnProfile(person.token)]);
      expect(await readEntries('profile.bind', person)).toEqual([
        {
          action: 'profile.bind',
          actor: person.email,
          profile_id: person.id,
          profile: person.email,
          issuer: subject.issuer,
        },
      ]);
    });
  });

  describe('a token sent with a registration', () => {
    test('binds the profile immediately if it has the same uid and email', async () => {
      const token = await subject.mint({ uid: 'own', email: 'OWN@example.com' });
      const { status, body } = await call('POST', path, { token, json: bodyOf('own') });
      const id = textOf(body.id);
      expect([status, await isBound(id)]).toEqual([201, true]);
      expect(await readEntries('profile.register', { id })).toMatchObject([{ profile_id: id, bound: true }]);
      expect(await readEntries('profile.bind', { id })).toMatchObject([{ profile_id: id, issuer: subject.issuer }]);
    });

    test('is rejected if it has the same uid and a different email address, and nothing is registered', async () => {
      const token = await subject.mint({ uid: 'typo', email: 'typo@example.com' });
      const reply = await call('POST', path, { token, json: bodyOf('typo', 'tpyo@example.com') });
      expect([reply.status, reply.body]).toEqual([400, emailMismatch]);
      expect((await call('POST', path, { json: bodyOf('typo', 'tpyo@example.com') })).status).toBe(201);
    });

    test.each([
      [
        'has a different uid',
        async () => subject.mint({ uid: 'somebody', email: 'other-uid@example.com' }),
        'other-uid',
      ],
      ['has no email', async () => subject.mint({ uid: 'no-mail' }), 'no-mail'],
      ['is garbage', async () => 'garbage', 'garbage'],
    ])('is ignored if it %s', async (_case, tokenOf, uid) => {
      const { status, body } = await call('POST', path, { token: await tokenOf(), json: bodyOf(uid) });
      const id = textOf(body.id);
      expect([status, await isBound(id)]).toEqual([201, false]);
      expect(await readEntries('profile.register', { id })).toEqual([]);
    });
  });
};

/** Tests a registration that requires a token. */
export const requiredTokensSuite = (start: Start): void => {
  const maxFailures = 4;
  const failedCredentialsLimit = { allowed: maxFailures, windowSeconds: 3_600 };
  const { subject, call } = provideSubject(start, {
    settings: { registrationRequiresToken: true, failedCredentialsLimit },
  });
  const register = (json: unknown, token?: string) =>
    call('POST', path, { json, ...(token === undefined ? {} : { token }) });
  const mint = (uid: string, email?: string) => subject.mint({ uid, ...(email === undefined ? {} : { email }) });

  test('is a 401 without a token, before its body is checked', async () => {
    const reply = await register({});
    expect([reply.status, reply.body, reply.headers['www-authenticate']]).toEqual([401, invalidToken, 'Bearer']);
  });

  test('counts only failed tokens as failures', async () => {
    for (let attempt = 1; attempt <= maxFailures; attempt += 1) {
      expect((await register({}, 'garbage')).status).toBe(401);
    }
    expect((await register(bodyOf('garbage'), 'garbage')).status).toBe(429);
    expect((await register(bodyOf('none'))).status).toBe(401);
    const token = await mint('still', 'still@example.com');
    expect((await register({}, token)).status).toBe(400);
    expect((await register(bodyOf('still'), token)).status).toBe(201);
    expect((await call('GET', '/api/profiles/me', { token: await mint('still') })).status).toBe(200);
  });

  test('is a 401 if the token does not bind the profile, and a 400 if its email differs', async () => {
    const getOutcome = async (uid: string, token: string) => outcomeOf(await register(bodyOf(uid), token));
    expect(await getOutcome('a', await mint('b', 'a@example.com'))).toEqual([401, invalidToken]);
    expect(await getOutcome('a', await mint('a'))).toEqual([401, invalidToken]);
    expect(await getOutcome('a', await mint('a', 'b@example.com'))).toEqual([400, emailMismatch]);
    expect((await getOutcome('a', await mint('a', 'a@example.com')))[0]).toBe(201);
  });
};

/** Tests a registration that ignores its token. */
export const ignoredTokensSuite = (start: Start): void => {
  test('does not count invalid tokens as failures', async () => {
    const failedCredentialsLimit = { allowed: 2, windowSeconds: 3_600 };
    const { client, close } = await start({ settings: { failedCredentialsLimit } });
    try {
      for (const uid of ['one', 'two', 'three', 'four']) {
        expect((await client.call('POST', path, { token: 'garbage', json: bodyOf(uid) })).status).toBe(201);
      }
      const failures = await Promise.all([1, 2, 3].map(() => client.call('GET', '/api/profiles/me', { token: 'no' })));
      expect(failures.map(({ status }) => status).sort()).toEqual([401, 401, 429]);
    } finally {
      await close();
    }
  });
};
