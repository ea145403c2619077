import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { holdCallIn } from '../hold-call-in.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Reply } from '../reply.ts';
import { expectStatus, textOf, unknownId, type Client, type Start } from '../subject.ts';

const path = '/api/calls';
const hourMs = 3_600_000;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

/** Tests reading and deciding calls that need a decision. */
export const pendingCallsSuite = (start: Start): void => {
  const { subject, fixtures, call, pages, asAdmin: callAsAdmin } = provideSubject(start);
  const asAdmin = (method: string, query: string, json?: unknown) => callAsAdmin(method, `${path}${query}`, json);
  const newCaller = async (): Promise<Client & { readonly collection: string }> => {
    const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
    await fixtures.grant(client, collection);
    return { ...client, collection };
  };
  const hold = async ({ key, collection }: Client & { readonly collection: string }, text?: string): Promise<string> =>
    (await holdCallIn(subject.useCases)(key, collection, text)).id;
  const errorOf = ({ status, body }: Reply) => [status, body.detail];

  describe('a waiting call', () => {
    test('is shown to its caller and to administrators, in detail with its arguments as they were sent', async () => {
      const ada = await newCaller();
      const id = await hold(ada, '{"n":1.0,"big":12345678901234567890,"text":"<script>"}');
      const listedCall = {
        call_id: id,
        state: 'waiting',
        collection_id: ada.collection,
        collection_name: expect.any(String) as string,
        operation_key: 'mfrggzdfmztwq2lk',
        method: 'DELETE',
        path: '/stations/{station}',
        profile_id: ada.id,
        email: ada.email,
        requested_at: timestamp,
        expires_at: timestamp,
        decided_at: null,
        decided_by: null,
        reason: null,
      };
      for (const credential of [{ key: ada.key }, { token: ada.token }, { token: fixtures.admin }]) {
        const { text, body } = expectStatus(await call('GET', `${path}/${id}`, credential), 200);
        expect(body).toMatchObject(listedCall);
        expect(text).toContain('"arguments":{"n":1.0,"big":12345678901234567890,"text":"<script>"}');
        expect((await call('GET', `${path}?profile_id=${ada.id}`, credential)).list).toEqual([listedCall]);
      }
    });

    test('is unknown to other clients', async () => {
      const [ada, bob] = [await newCaller(), await newCaller()];
      const id = await hold(ada);
      expect(errorOf(await call('GET', `${path}/${id}`, { key: bob.key }))).toEqual([404, 'Call not found']);
      expect((await call('GET', path, { key: bob.key })).list).toEqual([]);
      expect(errorOf(await call('GET', `${path}?profile_id=${ada.id}`, { key: bob.key }))).toEqual([
        403,
        'Admin access required',
      ]);
    });

    test('keeps its name hidden from a caller that has lost its access, and cannot be approved', async () => {
      const ada = await newCaller();
      const id = await hold(ada);
      await fixtures.revoke(ada, ada.collection);
      expect((await call('GET', `${path}/${id}`, { key: ada.key })).body.collection_name).toBeNull();
      expect(errorOf(await asAdmin('POST', `/${id}/approve`))).toEqual([
        409,
        'The caller may not call this API: it has no access to the collection',
      ]);
      expect((await asAdmin('GET', `/${id}`)).body.state).toBe('waiting');
    });

    test('is deleted with its caller or its collection', async () => {
      const [ada, bob] = [await newCaller(), await newCaller()];
      const [adasCall, bobsCall] = [await hold(ada), await hold(bob)];
      await call('DELETE', `/api/profiles/${ada.id}`, { token: fixtures.admin });
      await call('DELETE', `/api/collections/${bob.collection}`, { token: fixtures.admin });
      for (const id of [adasCall, bobsCall, unknownId])
        expect(errorOf(await asAdmin('POST', `/${id}/approve`))).toEqual([404, 'Call not found']);
    });
  });

  describe('deciding', () => {
    test('an approval is for the caller alone, whose arguments administrators no longer see', async () => {
      const ada = await newCaller();
      const id = await hold(ada);
      const { body } = expectStatus(await asAdmin('POST', `/${id}/approve`), 200);
      expect(body).toMatchObject({ call_id: id, state: 'approved', decided_by: fixtures.adminId, reason: null });
      expect(Date.parse(textOf(body.expires_at)) - Date.parse(textOf(body.decided_at))).toBe(hourMs);
      expect((await asAdmin('GET', `/${id}`)).body.arguments).toBeNull();
      expect((await call('GET', `${path}/${id}`, { key: ada.key })).body.arguments).toMatchObject({ station: 'north' });
    });

    test('a denial deletes the arguments, and the caller reads the reason', async () => {
      const ada = await newCaller();
      const id = await hold(ada);
      const reason = `<b>"No"</b>\n\u202e${'😀'.repeat(9)}`;
      expectStatus(await asAdmin('POST', `/${id}/deny`, { reason }), 200);
      expect((await call('GET', `${path}/${id}`, { key: ada.key })).body).toMatchObject({
        state: 'denied',
        reason,
        arguments: null,
      });
    });

    test('concurrently results in only one decision', async () => {
      const id = await hold(await newCaller());
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, index) => asAdmin('POST', `/${id}/${index % 3 === 2 ? 'deny' : 'approve'}`)),
      );
      const successes = replies.filter(({ status }) => status === 200);
      expect(successes).toHaveLength(1);
      for (const reply of replies.filter((candidate) => candidate !== successes[0]))
        expect(errorOf(reply)).toEqual([409, `Call already decided: ${textOf(successes[0]?.body.state)}`]);
    });

    test('is not possible for clients and service accounts', async () => {
      const ada = await newCaller();
      const id = await hold(ada);
      const json = { name: `calls-${ada.uid}`, scopes: ['access:read', 'access:write'] };
      const account = expectStatus(
        await call('POST', '/api/service-accounts', { token: fixtures.admin, json }),
        201,
      ).body;
      const accountToken = textOf(account.token);
      for (const decision of ['approve', 'deny']) {
        expect((await call('POST', `${path}/${id}/${decision}`, { token: ada.token })).status).toBe(403);
        expect(errorOf(await call('POST', `${path}/${id}/${decision}`, { token: accountToken }))).toEqual([
          403,
          'Not available to service accounts',
        ]);
      }
      expect((await call('GET', `${path}/${id}`, { token: accountToken })).body).toMatchObject({
        state: 'waiting',
        arguments: null,
      });
    });

    test('leaves no trace of the arguments in the log or the audit log', async () => {
      const ada = await newCaller();
      const secret = `secret-${ada.uid}`;
      const [first, second] = [await hold(ada, `{"s":"${secret}"}`), await hold(ada, `{"s":"${secret}","t":1}`)];
      expectStatus(await asAdmin('POST', `/${first}/approve`), 200);
      expectStatus(await asAdmin('POST', `/${second}/deny`), 200);
      await subject.runJobs();
      const { text } = await callAsAdmin(
        'GET',
        `/api/audit/?source=system&collection_id=${ada.collection}&pageSize=100`,
      );
      for (const action of ['call.ask', 'call.approve', 'call.deny']) expect(text).toContain(action);
      expect(text).not.toContain(secret);
      expect(subject.listLogLines().join('\n')).not.toContain(secret);
      expect(JSON.stringify(subject.mails ?? [])).not.toContain(secret);
    });
  });

  test('a list is paged, waiting calls oldest first and all others newest first', async () => {
    const ada = await newCaller();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push(await hold(ada, `{"n":${index}}`));
      if (subject.clock) subject.clock.advance(5);
      else await setTimeout(5);
    }
    const pagesOf = async (query: string) => {
      const replies = await pages(`${path}?limit=2${query}`, { key: ada.key });
      for (const { list } of replies) expect(list.length).toBeLessThanOrEqual(2);
      return replies.flatMap(({ list }) => list.map(({ call_id }) => call_id));
    };
    expect(await pagesOf('&status=waiting')).toEqual(ids);
    expect(await pagesOf('')).toEqual(ids.toReversed());
    await asAdmin('POST', `/${ids[1] ?? ''}/deny`);
    expect(await pagesOf(`&status=denied&collection_id=${ada.collection}`)).toEqual([ids[1]]);
  });

  // This test comes last, because tokens have expired once it is done.
  test('a call expires after an hour', async ({ skip }) => {
    if (!subject.clock) return skip('the clock cannot be moved');
    const ada = await newCaller();
    const id = await hold(ada);
    subject.clock.advance(hourMs - 1);
    const readOwn = async () => (await call('GET', `${path}/${id}`, { key: ada.key })).body;
    expect((await readOwn()).state).toBe('waiting');
    subject.clock.advance(1);
    expect(await readOwn()).toMatchObject({ state: 'expired', arguments: null });
    expect((await call('GET', `${path}?status=waiting`, { key: ada.key })).list).toEqual([]);
    expect((await call('GET', `${path}?status=expired`, { key: ada.key })).list).toMatchObject([{ call_id: id }]);
  });
};
