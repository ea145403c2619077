import { expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import type { Client, Start } from '../subject.ts';

/** Tests listing the clients near their limit. */
export const limitStatusSuite = (start: Start): void => {
  const {
    fixtures,
    call,
    asAdmin: callAsAdmin,
  } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 1_000, windowSeconds: 3_600 } },
  });
  const asAdmin = (method: string, path: string, json?: unknown) =>
    callAsAdmin(method, `/api/rate-limits${path}`, json);
  const readLimitStatus = async (query = '') => (await asAdmin('GET', `/standing${query}`)).body;
  const emailsOf = ({ clients }: Readonly<Record<string, unknown>>) =>
    (clients as { email: string }[]).map(({ email }) => email);
  /** Creates a client with a limit of `allowedLimit` requests per hour that has already sent `requestCount` requests. */
  const createClientWith = async (allowedLimit: number, requestCount: number): Promise<Client> => {
    const client = await fixtures.newClient();
    await asAdmin('POST', '/overrides', { client_id: client.id, allowed_limit: allowedLimit, window_seconds: 3_600 });
    const path = '/api/rate-limits/tiers/active/all';
    for (let i = 0; i < requestCount; i++) await call('GET', path, { key: client.key });
    return client;
  };

  test('are the clients that have used most of their limit, the largest share first; listing them is not counted', async () => {
    const [lightClient, heavyClient, exhaustedClient] = [
      await createClientWith(10, 2),
      await createClientWith(10, 8),
      await createClientWith(5, 7),
    ];
    for (let i = 0; i < 3; i++) {
      const body = await readLimitStatus();
      expect(['all', 'process']).toContain(body.scope);
      expect([body.total, emailsOf(body)]).toEqual([2, [exhaustedClient.email, heavyClient.email]]);
      expect(body.clients).toMatchObject([
        {
          profile_id: exhaustedClient.id,
          client_id: exhaustedClient.key.clientId,
          source: 'override',
          tier: null,
          allowed_limit: 5,
          window_seconds: 3_600,
          used: 5,
          remaining: 0,
        },
        { used: 8, remaining: 2, retry_after: 0 },
      ]);
      const [{ reset_seconds, retry_after, resets_at }] = body.clients as [
        { reset_seconds: number; retry_after: number; resets_at: string },
      ];
      expect(retry_after).toBeGreaterThan(3_500);
      expect(reset_seconds).toBe(retry_after);
      expect(resets_at).toMatch(/Z$/);
    }
    expect(emailsOf(await readLimitStatus('?at_least=0.2'))).toEqual([
      exhaustedClient.email,
      heavyClient.email,
      lightClient.email,
    ]);
    expect(emailsOf(await readLimitStatus('?at_least=1'))).toEqual([exhaustedClient.email]);
    const firstPage = await readLimitStatus('?at_least=0.2&limit=1');
    expect([firstPage.total, emailsOf(firstPage)]).toEqual([3, [exhaustedClient.email]]);
  });

  test('administrators and clients without requests are never listed', async () => {
    const idleClient = await createClientWith(1, 0);
    const listedEmails = emailsOf(await readLimitStatus('?at_least=0&limit=1000'));
    expect(listedEmails).not.toContain(idleClient.email);
    expect(listedEmails.length).toBeGreaterThan(0);
    const { body } = await call('GET', '/api/profiles/me', { token: fixtures.admin });
    expect(listedEmails).not.toContain(body.email);
  });

  test('a client learns nothing about other clients', async () => {
    const { token } = await fixtures.newClient();
    expect((await call('GET', '/api/rate-limits/standing', { token })).status).toBe(403);
  });
};
