import { describe, expect, test } from 'vitest';
import { expectError, outcomeOf, errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start } from '../subject.ts';

const registration = (uid: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  firebase_uid: uid,
  email: `${uid}@example.com`,
  full_name: 'Alice Example',
  ...fields,
});

/** The first fields of every profile in a response, in this order. */
const commonFields = ['id', 'email', 'full_name', 'company_name', 'role', 'registration_status'];

/** Tests registration, approval, rejection, credentials, roles and tiers. */
export const profilesSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  const post = (json: unknown) => call('POST', '/api/profiles/register', { json });
  const decide = (id: string, decision: string) =>
    call('POST', `/api/profiles/${id}/${decision}`, { token: fixtures.admin });

  describe('registration', () => {
    test('returns the registered profile, with the email address in lower case and strings trimmed', async () => {
      const reply = await post(registration('reg-1', { email: ' Reg-1@Example.COM ', full_name: '  Alice  ' }));
      expect(reply.status).toBe(201);
      const { id, created_at, ...rest } = reply.body;
      expect(rest).toEqual({
        email: 'reg-1@example.com',
        full_name: 'Alice',
        company_name: null,
        role: 'client',
        registration_status: 'pending',
      });
      expect(Object.keys(reply.body)).toEqual([...commonFields, 'created_at']);
      expect([typeof id, typeof created_at]).toEqual(['string', 'string']);
    });

    test('accepts each mailbox only once, in any notation', async () => {
      const [firstEmail, ...sameEmails] = [
        'jos\u00e9@b\u00fccher.example',
        'jOSe\u0301@b\u00fccher.example',
        'jos\u00e9@xn--bcher-kva.example',
      ];
      const { id } = (await post(registration('unicode-0', { email: firstEmail }))).body;
      for (const [index, email] of sameEmails.entries()) {
        const reply = await post(registration(`unicode-${index + 1}`, { email }));
        expect([reply.status, reply.body.detail]).toEqual([409, 'Email already registered']);
      }
      for (const email of [firstEmail, ...sameEmails]) {
        const path = `/api/profiles/${encodeURIComponent(email ?? '')}`;
        expect((await call('GET', path, { token: fixtures.admin })).body).toMatchObject({ id, email: firstEmail });
        const search = await call('GET', `/api/profiles/?q=${encodeURIComponent(email ?? '')}`, {
          token: fixtures.admin,
        });
        expect(search.list.map((profile) => profile.id)).toEqual([id]);
      }
      for (const email of ['\u212aim@corp.example', 'kim@cor\u200bp.example']) {
        expect(errorOf(await post(registration('unicode-9', { email })))).toEqual([
          400,
          'Invalid request body: email must be an email address',
        ]);
      }
    });

    test('normalizes names to NFC, and rejects invisible characters in them', async () => {
      const names = { full_name: 'Zoe\u0308', company_name: '\u0645\u06cc\u200c\u062e\u0648' };
      const reply = await post(registration('unicode-10', names));
      expect([reply.status, reply.body.full_name, reply.body.company_name]).toEqual([
        201,
        'Zo\u00eb',
        names.company_name,
      ]);
      for (const field of ['full_name', 'company_name']) {
        for (const character of ['\u200b', '\u2060', '\u{e0041}', '\u00ad', '\u200d ']) {
          const rejection = await post(registration('unicode-11', { [field]: `Pa${character}y` }));
          const detail = `Invalid request body: ${field} must not contain characters that cannot be seen`;
          expect([rejection.status, rejection.body.detail]).toEqual([400, detail]);
        }
      }
    });

    test('ignores role, status and unknown fields', async () => {
      const reply = await post(
        registration('reg-2', { role: 'admin', registration_status: 'approved', client_id: unknownId, x: { y: 1 } }),
      );
      expect(reply.status).toBe(201);
      expect(reply.body).toMatchObject({ role: 'client', registration_status: 'pending' });
    });

    test.each([
      ['null', null],
      ['an empty text', ''],
      ['blanks', '   '],
    ])('treats %s as no company', async (name, company_name) => {
      const reply = await post(registration(`reg-none-${name.replaceAll(' ', '')}`, { company_name }));
      expect(reply.body.company_name).toBeNull();
    });

    test('rejects an email address that is already registered, ignoring case, and an identity that is already registered', async () => {
      await post(registration('reg-3'));
      expectError(await post(registration('reg-4', { email: 'REG-3@example.com' })), 409, 'Email already registered');
      const sameUid = await post(registration('reg-3', { email: 'other@example.com' }));
      expect([sameUid.status, sameUid.body]).toEqual([409, { detail: 'Identity already registered' }]);
    });

    test('when one email address is registered concurrently, only one registration succeeds', async () => {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => post(registration(`race-${index}`, { email: 'race@example.com' }))),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    });

    test('an invalid token is ignored', async () => {
      const reply = await call('POST', '/api/profiles/register', { token: 'nonsense', json: registration('reg-5') });
      expect(reply.status).toBe(201);
    });

    const createField = (field: string, length: number) => ({ [field]: 'é'.repeat(length) });
    test.each([
      ['firebase_uid', 128],
      ['full_name', 200],
      ['company_name', 200],
    ])('accepts a %s of at most %i characters', async (field, max) => {
      expect((await post(registration(`edge-${field}`, createField(field, max)))).status).toBe(201);
      const tooLongReply = await post(registration(`over-${field}`, createField(field, max + 1)));
      expect(tooLongReply.status).toBe(400);
      expect(tooLongReply.body.detail).toBe(`Invalid request body: ${field} must have at most ${max} characters`);
    });

    test('counts characters, not UTF-16 units', async () => {
      expect((await post(registration('astral', { full_name: '😀'.repeat(200) }))).status).toBe(201);
    });

    test('accepts an email of at most 254 characters', async () => {
      const createEmail = (length: number) => `${'a'.repeat(length - 12)}@example.com`;
      expect((await post(registration('mail-254', { email: createEmail(254) }))).status).toBe(201);
      expect((await post(registration('mail-255', { email: createEmail(255) }))).status).toBe(400);
    });

    test.each([
      ['no-at-sign', 'email must be an email address'],
      ['two@@example.com', 'email must be an email address'],
      ['a@b', 'email must be an email address'],
      ['a@-b.com', 'email must be an email address'],
      ['.a@example.com', 'email must be an email address'],
      ['a b@example.com', 'email must be an email address'],
      ['a@example.com,b@example.com', 'email must be an email address'],
      ['Alice <a@example.com>', 'email must be an email address'],
      ['a@example.com\r\nBcc: b@example.com', 'email must be an email address'],
      ['', 'email must not be empty'],
      [null, 'email must be a string'],
      [7, 'email must be a string'],
      [['a@example.com'], 'email must be a string'],
    ])('rejects %j as an email', async (email, reason) => {
      expectError(await post(registration('bad-mail', { email })), 400, `Invalid request body: ${reason}`);
    });

    test.each(['firebase_uid', 'email', 'full_name'])('reports a missing %s', async (field) => {
      const reply = await post(registration('missing', { [field]: undefined }));
      expect([reply.status, reply.body]).toEqual([400, { detail: `Invalid request body: ${field} is required` }]);
    });
  });

  describe("the caller's own profile", () => {
    test('a pending profile reads itself, without a client identifier or a time of approval', async () => {
      const person = await fixtures.register({ company_name: 'Example Ltd.' });
      const reply = await call('GET', '/api/profiles/me', { token: person.token });
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.body)).toEqual([...commonFields, 'client_id', 'created_at', 'updated_at']);
      expect(reply.body).toMatchObject({ id: person.id, client_id: null, company_name: 'Example Ltd.' });
    });

    test('an approved profile reads its client identifier and time of approval, and on request its tier', async () => {
      const client = await fixtures.newClient();
      const reply = await call('GET', '/api/profiles/me?include=tier', { token: client.token });
      expect(reply.body).toMatchObject({ client_id: client.key.clientId, tier: null, registration_status: 'approved' });
      expect(typeof reply.body.approved_at).toBe('string');
      expect((await call('GET', '/api/profiles/me?include=all', { token: client.token })).status).toBe(400);
    });

    test('a valid token of a user without a profile is a 404 here and a 401 on other routes', async () => {
      const token = await subject.mint({ uid: 'nobody' });
      for (const method of ['GET', 'PUT']) {
        const reply = await call(method, '/api/profiles/me', { token, ...(method === 'PUT' ? { json: {} } : {}) });
        expect([reply.status, reply.body]).toEqual([404, { detail: 'User not found' }]);
      }
      expect((await call('GET', '/api/collections/', { token })).status).toBe(401);
    });

    test('an API key is not accepted here', async () => {
      const { key } = await fixtures.newClient();
      expect((await call('GET', '/api/profiles/me', { key })).status).toBe(401);
    });

    test('changes only the fields in the body', async () => {
      const person = await fixtures.register({ company_name: 'Old Ltd.' });
      const put = (json: unknown) => call('PUT', '/api/profiles/me', { token: person.token, json });
      const renamedReply = await put({ full_name: ' New Name ' });
      expect(Object.keys(renamedReply.body)).toEqual([...commonFields, 'client_id', 'created_at', 'updated_at']);
      expect(renamedReply.body).toMatchObject({ full_name: 'New Name', company_name: 'Old Ltd.' });
      expect(textOf(renamedReply.body.updated_at) > textOf(renamedReply.body.created_at)).toBe(true);
      const unchangedReply = await put({ full_name: 'New Name', email: 'other@example.com', role: 'admin' });
      expect(unchangedReply.body).toEqual(renamedReply.body);
      expect((await put({ full_name: null })).body.full_name).toBe('New Name');
      expect((await put({ full_name: '' })).body.full_name).toBe('New Name');
      expect((await put({ company_name: '' })).body.company_name).toBeNull();
      expect((await put({ company_name: 'Again' })).body.company_name).toBe('Again');
      expect((await put({ company_name: null })).body.company_name).toBeNull();
    });

    test('a PUT without a body changes nothing; an invalid body is a 400', async () => {
      const person = await fixtures.register();
      expect((await call('PUT', '/api/profiles/me', { token: person.token })).status).toBe(200);
      const tooLongReply = await call('PUT', '/api/profiles/me', {
        token: person.token,
        json: { full_name: 'x'.repeat(201) },
      });
      expect(tooLongReply.status).toBe(400);
    });
  });

  describe('decisions', () => {
    test('approving a profile returns the credentials, and the key works immediately', async () => {
      const person = await fixtures.register();
      const reply = await decide(person.id, 'approve');
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.body)).toEqual(['message', 'client_id', 'client_secret']);
      expect(reply.headers['cache-control']).toBe('no-store');
      const key = { clientId: textOf(reply.body.client_id), secret: textOf(reply.body.client_secret) };
      expect((await call('POST', '/api/audit/', { key, json: { message: {} } })).status).toBe(201);
    });

    test('a rejected registration can be reopened and then approved', async () => {
      const person = await fixtures.register();
      expect((await decide(person.id, 'reopen')).body).toEqual({ detail: 'User not rejected' });
      await decide(person.id, 'reject');
      const reopenedReply = await decide(person.id, 'reopen');
      expect([reopenedReply.status, reopenedReply.body.registration_status]).toEqual([200, 'pending']);
      expect((await decide(person.id, 'approve')).status).toBe(200);
      expectError(await decide(person.id, 'reopen'), 409, 'User already approved');
    });

    test('the credentials are mailed', async ({ skip }) => {
      if (!subject.mails) return skip('emails cannot be inspected');
      const client = await fixtures.newClient();
      await subject.runJobs();
      const mail = subject.mails.find(({ to }) => to === client.email);
      expect(mail?.text).toContain(client.key.secret);
    });

    test('a decision is final', async () => {
      const approvedClient = await fixtures.newClient();
      const rejectedPerson = await fixtures.register();
      expect((await decide(rejectedPerson.id, 'reject')).body).toEqual({ message: 'User rejected' });
      for (const decision of ['approve', 'reject']) {
        expect((await decide(approvedClient.id, decision)).body).toEqual({ detail: 'User already approved' });
        expectError(await decide(rejectedPerson.id, decision), 409, 'User already rejected');
      }
    });

    test('when a profile is approved twice concurrently, one approval succeeds and its key pair works', async () => {
      const person = await fixtures.register();
      const replies = await Promise.all([decide(person.id, 'approve'), decide(person.id, 'approve')]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const issuedBody = replies.find(({ status }) => status === 200)?.body ?? {};
      const key = { clientId: issuedBody['client_id'] as string, secret: issuedBody['client_secret'] as string };
      expect((await call('GET', '/api/rate-limits/tiers/active/all', { key })).status).toBe(200);
    });

    test('a rejection may have a reason of up to 1,000 characters, no reason, or no body', async () => {
      const reject = async (json: unknown) => {
        const { id } = await fixtures.register();
        return call('POST', `/api/profiles/${id}/reject`, { token: fixtures.admin, json });
      };
      expect((await reject({ reason: 'x'.repeat(1_000) })).status).toBe(200);
      expect((await reject({ reason: 'x'.repeat(1_001) })).status).toBe(400);
      expect((await reject({ reason: null })).status).toBe(200);
      expect((await reject({})).status).toBe(200);
      const { id } = await fixtures.register();
      const headers = ['Content-Type', 'text/plain', 'Content-Length', '0'];
      expect((await call('POST', `/api/profiles/${id}/reject`, { token: fixtures.admin, headers })).status).toBe(200);
    });

    test('the email address of a rejected profile cannot be registered again until the profile is deleted', async () => {
      const person = await fixtures.register();
      await decide(person.id, 'reject');
      const repeatedRegistration = registration('again', { email: person.email });
      expect((await post(repeatedRegistration)).status).toBe(409);
      const removed = await call('DELETE', `/api/profiles/${person.id}`, { token: fixtures.admin });
      expect([removed.status, removed.body]).toEqual([200, { message: 'User deleted' }]);
      expect((await post(repeatedRegistration)).status).toBe(201);
      expect((await call('GET', '/api/profiles/me', { token: person.token })).status).toBe(404);
    });

    test.each([
      ['POST', '/approve'],
      ['POST', '/reject'],
      ['POST', '/credentials'],
      ['DELETE', ''],
    ])('%s …%s of an unknown or malformed id is a 404', async (method, action) => {
      for (const id of [unknownId, 'not-a-uuid', '123', unknownId.slice(1)]) {
        expectError(
          await call(method, `/api/profiles/${id}${action}`, { token: fixtures.admin }),
          404,
          'User not found',
        );
      }
    });

    test('an id is accepted in upper and lower case', async () => {
      const person = await fixtures.register();
      expect((await decide(person.id.toUpperCase(), 'approve')).status).toBe(200);
    });
  });

  describe('the list of profiles', () => {
    test('contains every profile, with the fields of a list entry', async () => {
      const client = await fixtures.newClient();
      const reply = await call('GET', '/api/profiles/', { token: fixtures.admin });
      const line = reply.list.find(({ id }) => id === client.id);
      expect(line).toMatchObject({ client_id: client.key.clientId, registration_status: 'approved' });
      expect(Object.keys(line ?? {})).toEqual([...commonFields, 'client_id', 'created_at']);
      const withTier = await call('GET', '/api/profiles?include=tier', { token: fixtures.admin });
      expect(withTier.list.find(({ id }) => id === client.id)).toHaveProperty('tier', null);
    });

    test('reports on request which profiles are bound', async () => {
      const person = await fixtures.register();
      const readListedProfile = async (include: string) => {
        const { list } = await call('GET', `/api/profiles?include=${include}`, { token: fixtures.admin });
        return list.find(({ id }) => id === person.id);
      };
      expect(await readListedProfile('bound')).toHaveProperty('bound', false);
      const ownProfile = await call('GET', '/api/profiles/me?include=bound', { token: person.token });
      expect(ownProfile.body).toHaveProperty('bound', true);
      expect(ownProfile.body).not.toHaveProperty('tier');
      for (const include of ['tier,bound', 'bound,%20tier', 'bound,tier,bound']) {
        expect(await readListedProfile(include)).toMatchObject({ bound: true, tier: null });
      }
      expect(await readListedProfile('')).not.toHaveProperty('bound');
    });

    test('an invalid query is a 400', async () => {
      expect(
        outcomeOf(await call('GET', '/api/profiles?include=tier&include=tier', { token: fixtures.admin })),
      ).toEqual([400, { detail: 'Invalid query parameter: include is given more than once' }]);
    });
  });

  describe('credentials', () => {
    const rotate = (token: string, profile: string, json?: unknown) =>
      call('POST', `/api/profiles/${profile}/credentials`, { token, ...(json === undefined ? {} : { json }) });
    const isAccepted = async (clientId: string, secret: string) =>
      (await call('GET', '/api/rate-limits/tiers/active/all', { key: { clientId, secret } })).status === 200;

    test('when an admin replaces a secret, the new secret works and the previous one no longer does', async () => {
      const client = await fixtures.newClient();
      const reply = await rotate(fixtures.admin, client.id);
      expect([reply.status, reply.body.client_id]).toEqual([200, client.key.clientId]);
      expect(await isAccepted(client.key.clientId, textOf(reply.body.client_secret))).toBe(true);
      expect(await isAccepted(client.key.clientId, client.key.secret)).toBe(false);
    });

    test('when a client replaces its own secret, the previous one remains valid for the grace period', async () => {
      const client = await fixtures.newClient();
      expect((await rotate(client.token, 'me', { grace_seconds: 60 })).status).toBe(200);
      expect(await isAccepted(client.key.clientId, client.key.secret)).toBe(true);
      if (!subject.clock) return;
      subject.clock.advance(60_000);
      expect(await isAccepted(client.key.clientId, client.key.secret)).toBe(false);
    });

    test('the grace period is 0 to 604,800 seconds', async () => {
      const client = await fixtures.newClient();
      for (const grace_seconds of [0, 604_800, null]) {
        expect((await rotate(client.token, 'me', { grace_seconds })).status).toBe(200);
      }
      for (const grace_seconds of [-1, 604_801, 1.5, '5', true]) {
        expect((await rotate(client.token, 'me', { grace_seconds })).status).toBe(400);
        expect((await rotate(fixtures.admin, client.id, { grace_seconds })).status).toBe(400);
      }
    });

    test('neither a pending profile nor an admin has credentials', async () => {
      const person = await fixtures.register();
      expect((await rotate(person.token, 'me')).body).toEqual({ detail: 'User not approved' });
      expect((await rotate(fixtures.admin, person.id)).status).toBe(409);
      expect((await rotate(fixtures.admin, 'me')).status).toBe(409);
    });
  });

  describe('roles and tiers', () => {
    const put = (id: string, property: string, json: unknown) =>
      call('PUT', `/api/profiles/${id}/${property}`, { token: fixtures.admin, json });

    test('promoting a client deactivates its key, and demoting it reactivates the key', async () => {
      const client = await fixtures.newClient();
      const tiers = '/api/rate-limits/tiers';
      expect((await call('GET', tiers, { token: client.token })).status).toBe(403);
      const promotedReply = await put(client.id, 'role', { role: 'admin' });
      expect(promotedReply.body).toMatchObject({ role: 'admin', client_id: null });
      expect((await call('GET', tiers, { token: client.token })).status).toBe(200);
      expect((await call('GET', `${tiers}/active/all`, { key: client.key })).status).toBe(401);
      expect((await put(client.id, 'role', { role: 'client' })).body.client_id).toBe(client.key.clientId);
      expect((await call('GET', `${tiers}/active/all`, { key: client.key })).status).toBe(200);
    });

    test('promoting an unbound profile returns a warning, and does not give access to strangers', async () => {
      const person = await fixtures.register();
      const promotedReply = await put(person.id, 'role', { role: 'admin' });
      expect([promotedReply.status, promotedReply.body.role]).toEqual([200, 'admin']);
      expect(promotedReply.body.warning).toMatch(/the first person to present a token with its user id and email/);
      for (const email of [{}, { email: '' }, { email: 'mallory@evil.example' }]) {
        const token = await subject.mint({ uid: person.uid, ...email });
        expect((await call('GET', '/api/profiles/', { token })).status).toBe(401);
        expect((await call('GET', '/api/profiles/me', { token })).status).toBe(404);
      }
      expect((await call('GET', '/api/profiles/', { token: person.token })).status).toBe(200);
      expect((await put(person.id, 'role', { role: 'admin' })).body).not.toHaveProperty('warning');
      expect((await put(person.id, 'role', { role: 'client' })).body).not.toHaveProperty('warning');
    });

    test('the last admin can be neither demoted nor deleted', async () => {
      expectError(await put(fixtures.adminId, 'role', { role: 'client' }), 409, 'The last admin cannot be removed');
      expect((await call('DELETE', `/api/profiles/${fixtures.adminId}`, { token: fixtures.admin })).status).toBe(409);
    });

    test('an unbound admin does not count as the last admin', async () => {
      const person = await fixtures.register();
      await put(person.id, 'role', { role: 'admin' });
      expect((await put(fixtures.adminId, 'role', { role: 'client' })).status).toBe(409);
      expect((await call('DELETE', `/api/profiles/${fixtures.adminId}`, { token: fixtures.admin })).status).toBe(409);
      expect((await call('DELETE', `/api/profiles/${person.id}`, { token: fixtures.admin })).status).toBe(200);
    });

    test('a rejected profile cannot be promoted', async () => {
      const person = await fixtures.register();
      await decide(person.id, 'reject');
      expect((await put(person.id, 'role', { role: 'admin' })).body).toEqual({ detail: 'User already rejected' });
    });

    test('a role is admin or client', async () => {
      const { id } = await fixtures.register();
      for (const json of [{}, { role: null }, { role: 'root' }, { role: 1 }]) {
        expect((await put(id, 'role', json)).status).toBe(400);
      }
      expect((await put(unknownId, 'role', { role: 'admin' })).status).toBe(404);
    });

    test('a tier is assigned and removed', async () => {
      const { id } = await fixtures.register();
      const tier = { tier: 'assigned', allowed_limit: 5, window_seconds: 60 };
      await call('POST', '/api/rate-limits/tiers', { token: fixtures.admin, json: tier });
      expect((await put(id, 'tier', { tier: 'assigned' })).body).toMatchObject({ id, tier: 'assigned' });
      expect((await put(id, 'tier', { tier: null })).body.tier).toBeNull();
      expect((await put(id, 'tier', { tier: 'no-such-tier' })).body).toEqual({ detail: 'Tier not found' });
      expect((await put(unknownId, 'tier', { tier: null })).body).toEqual({ detail: 'User not found' });
      for (const json of [{}, { tier: 5 }]) expect((await put(id, 'tier', json)).status).toBe(400);
    });
  });
};
