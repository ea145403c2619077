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
  const near = async (query = '') => (await asAdmin('GET', `/standing${query}`)).body;
  const emailsOf = ({ clients }: Readonly<Record<string, unknown>>) =>
    (clients as { email: string }[]).map(({ email }) => email);
  /** Creates a client with a limit of `allowed` requests per hour that has already sent `sent` requests. */
  const clientWith = async (allowed: number, sent: number): Promise<Client> => {
    const client = await fixtures.newClient();
    await asAdmin('POST', '/overrides', { client_id: client.id, allowed_limit: allowed, window_seconds: 3_600 });
    const path = '/api/rate-limits/tiers/active/all';
    for (let i = 0; i < sent; i++) await call('GET', path, { key: client.key });
    return client;
  };

  test('lists the clients that have used most of their limit, the largest share first, and counts nothing', async () => {
    const [little, most, all] = [await clientWith(10, 2), await clientWith(10, 8), await clientWith(5, 7)];
    for (let i = 0; i < 3; i++) {
      const body = await near();
      expect(['all', 'process']).toContain(body.scope);
      expect([body.total, emailsOf(body)]).toEqual([2, [all.email, most.email]]);
      expect(body.clients).toMatchObject([
        {
          profile_id: all.id,
          client_id: all.key.clientId,
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
    expect(emailsOf(await near('?at_least=0.2'))).toEqual([all.email, most.email, little.email]);
    expect(emailsOf(await near('?at_least=1'))).toEqual([all.email]);
    const first = await near('?at_least=0.2&limit=1');
    expect([first.total, emailsOf(first)]).toEqual([3, [all.email]]);
  });

  test('administrators and clients without requests are never listed', async () => {
    const quiet = await clientWith(1, 0);
    const listed = emailsOf(await near('?at_least=0&limit=1000'));
    expect(listed).not.toContain(quiet.email);
    expect(listed.length).toBeGreaterThan(0);
    const { body } = await call('GET', '/api/profiles/me', { token: fixtures.admin });
    expect(listed).not.toContain(body.email);
  });

  test('a client learns nothing about others', async () => {
    const { token } = await fixtures.newClient();
    expect((await call('GET', '/api/rate-limits/standing', { token })).status).toBe(403);
  });
};
