import { startIdentityProvider, type IdentityProviderOptions, type Person } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { createFixtures, expectStatus } from '../subject.ts';
import { clients, createSignIn, type Connect } from './mcp-clients.ts';

const publicUrl = 'https://portico.example.com';

const start = async (options: IdentityProviderOptions = {}) => {
  const provider = await startIdentityProvider({ resources: [`${publicUrl}/mcp`], ...options });
  onTestFinished(() => provider.close());
  const subject = await startComposed(async () => ({
    IDENTITY_LOCAL: 'true',
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_EMAIL_CHECK: 'verified',
    PUBLIC_URL: publicUrl,
  }))();
  onTestFinished(() => subject.close());
  const fixtures = await createFixtures(subject);
  /** Connects a client that knows nothing but the URL and its own id. */
  const connectAs = (connect: Connect, person: Person) =>
    connect(
      publicUrl,
      {},
      {
        ...createSignIn(provider, person),
        fetch: (url, init) => fetch(String(url).replace(publicUrl, subject.client.baseUrl), init),
      },
    );
  return { provider, subject, fixtures, connectAs };
};

/** Returns the text of the denial, which clients of the current revision have only in the error's data. */
const denialOf = async (connecting: Promise<unknown>): Promise<string> => {
  const [outcome] = await Promise.allSettled([connecting]);
  if (outcome.status === 'fulfilled') return 'connected';
  const { message, data } = outcome.reason as Error & { readonly data?: { readonly text?: string } };
  return `${message} ${data?.text ?? ''}`;
};

describe.each(Object.entries(clients))('%s', (_revision, connect) => {
  test('a person who registered signs in, and is bound by the email address that the provider reports', async () => {
    const { subject, fixtures, connectAs } = await start({ reportsUsers: true });
    const { uid, email, id } = await fixtures.register();
    const mcp = await connectAs(connect, { uid, email, emailVerified: true });
    onTestFinished(() => mcp.close());
    const whoami = async () => (await mcp.call('whoami')).data;
    expect(await whoami()).toMatchObject({ email, registration_status: 'pending', bound: true });
    expectStatus(await subject.client.call('POST', `/api/profiles/${id}/approve`, { token: fixtures.admin }), 200);
    expect(await whoami()).toMatchObject({ registration_status: 'approved' });
    const { data } = (
      await subject.client.call('GET', '/api/audit/?source=system&action=profile.bind', { token: fixtures.admin })
    ).body as { readonly data: readonly object[] };
    expect(data).toHaveLength(1);
  });

  test.each<[string, Partial<Person>, boolean]>([
    ['the provider reports a different email address', { email: 'mallory@example.com' }, true],
    ['the provider has not verified the email address', { emailVerified: false }, true],
    ['the provider reports nothing', {}, false],
  ])('if %s, the person learns why, and where to sign in', async (_case, changes, reportsUsers) => {
    const { fixtures, connectAs } = await start({ reportsUsers });
    const { uid, email } = await fixtures.register();
    expect(await denialOf(connectAs(connect, { uid, email, emailVerified: true, ...changes }))).toMatch(
      /Registration not confirmed: .*https:\/\/portico\.example\.com\/console/,
    );
  });

  test('a person who has not registered learns where to register', async () => {
    const { connectAs } = await start();
    expect(await denialOf(connectAs(connect, { uid: 'stranger', email: 'stranger@example.com' }))).toMatch(
      /Not registered: .*https:\/\/portico\.example\.com\/console/,
    );
  });
});
