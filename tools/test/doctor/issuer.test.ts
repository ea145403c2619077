import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startFirebaseStandIn, startIdentityProvider, startSmtpServer } from '@portico/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPatient, doctor, expectDiagnosis, type Fault, type Variables } from './diagnosis.ts';

const provider = await startIdentityProvider();
const smtp = await startSmtpServer();
let patient: Awaited<ReturnType<typeof createPatient>>;
beforeAll(async () => {
  patient = await createPatient();
});
afterAll(() => Promise.all([provider.close(), smtp?.close(), patient.remove()]));

const bootstrap = { BOOTSTRAP_ADMIN_UID: 'root', BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' };

/** A production without a fault. */
const production = (folder: string, without: readonly string[] = []): Variables => {
  const variables: Variables = {
    NODE_ENV: 'production',
    SECRETS_KEY_FILE: join(folder, 'secrets.key'),
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_EMAIL_CHECK: 'verified',
    SMTP_URL: smtp?.url ?? '',
    MAIL_FROM: 'portico@example.com',
    ...bootstrap,
  };
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !without.includes(name)));
};

interface Documents {
  /** What the discovery document names; by default the issuer itself. */
  readonly issuer?: string;
  readonly keys?: readonly object[];
  /** By how many seconds its clock is ahead. */
  readonly aheadSeconds?: number;
  /** What else the discovery document says. */
  readonly more?: object;
}

/** An issuer that publishes documents of this kind. */
const issuerWith = async ({
  issuer,
  keys = [rsaKey(2_048)],
  aheadSeconds = 0,
  more = { authorization_endpoint: 'https://id.example.com/authorize' },
}: Documents): Promise<Variables> => {
  const server = createServer((request, response) => {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const discovery = { issuer: issuer ?? own, jwks_uri: `${own}/keys`, ...more };
    response.setHeader('date', new Date(Date.now() + aheadSeconds * 1_000).toUTCString());
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : discovery));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { IDENTITY_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const rsaKey = (modulusLength: number): object => ({
  ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
  kid: 'one',
});

const ofIssuer: readonly Fault[] = [
  {
    fault: 'the issuer is away',
    plant: (folder) => ({ ...production(folder), IDENTITY_ISSUER: 'http://127.0.0.1:8009' }),
    id: 'identity.issuer',
    state: 'wrong',
    said: /cannot be discovered: .*ECONNREFUSED/,
    advice: /let this machine reach it/,
    skips: ['identity.keys', 'identity.console'],
  },
  {
    fault: 'the discovery document names another issuer',
    plant: async (folder) => ({
      ...production(folder),
      ...(await issuerWith({ issuer: 'https://other.example.com' })),
    }),
    id: 'identity.issuer',
    state: 'wrong',
    said: /names another issuer: "https:\/\/other\.example\.com"/,
    advice: /exactly as the provider spells its name/,
    skips: ['identity.keys', 'identity.console'],
  },
  {
    fault: 'the issuer publishes no key that can be used',
    plant: async (folder) => ({ ...production(folder), ...(await issuerWith({ keys: [rsaKey(1_024)] })) }),
    id: 'identity.keys',
    state: 'wrong',
    said: /The key set has no usable key/,
    advice: /RS256/,
  },
  {
    fault: 'the issuer has no page to sign in at',
    plant: async (folder) => ({ ...production(folder), ...(await issuerWith({ more: {} })) }),
    id: 'identity.console',
    state: 'warning',
    said: /has no authorization_endpoint/,
    advice: /IDENTITY_FIREBASE_API_KEY/,
  },
  {
    fault: 'the issuer supports no PKCE that the console can use',
    plant: async (folder) => ({
      ...production(folder),
      ...(await issuerWith({
        more: { authorization_endpoint: 'https://id.example.com/', code_challenge_methods_supported: ['plain'] },
      })),
    }),
    id: 'identity.console',
    state: 'warning',
    said: /does not support S256/,
    advice: /Turn on PKCE/,
  },
  {
    fault: 'the tokens of the console would be refused',
    plant: (folder) => ({ ...production(folder), IDENTITY_CONSOLE_CLIENT_ID: 'console' }),
    id: 'identity.console',
    state: 'warning',
    said: /the ID tokens of its client console would be refused/,
    advice: /Add IDENTITY_CONSOLE_CLIENT_ID to IDENTITY_AUDIENCE/,
  },
  {
    fault: 'the client of the console is not one of those that are accepted',
    plant: (folder) => ({ ...production(folder), IDENTITY_AUTHORIZED_PARTIES: 'another' }),
    id: 'identity.console',
    state: 'warning',
    said: /the ID tokens of its client .* would be refused/,
    advice: /Add IDENTITY_CONSOLE_CLIENT_ID to IDENTITY_AUTHORIZED_PARTIES/,
  },
  {
    fault: 'only the keys of the issuer are published',
    plant: async (folder) => {
      const { IDENTITY_ISSUER: address } = await issuerWith({});
      return {
        ...production(folder),
        IDENTITY_ISSUER: 'http://127.0.0.1:8009',
        IDENTITY_JWKS_URL: `${address}/keys`,
      };
    },
    id: 'identity.console',
    state: 'warning',
    said: /Nobody can sign in at the console: .*ECONNREFUSED/,
    advice: /discovery document/,
  },
  {
    fault: 'the clock of the issuer is wrong',
    plant: async (folder) => ({ ...production(folder), ...(await issuerWith({ aheadSeconds: 300 })) }),
    id: 'clock.issuer',
    state: 'wrong',
    said: /clock of the issuer is (299|300|301) s ahead/,
    advice: /NTP/,
  },
  {
    fault: 'no admin can sign in',
    plant: (folder) => production(folder, Object.keys(bootstrap)),
    id: 'admins',
    state: 'wrong',
    said: /No admin can sign in/,
    advice: /portico people promote EMAIL/,
  },
];

const ofProduction: readonly Fault[] = [
  {
    fault: 'the local issuer is on in production',
    plant: (folder) => ({ ...production(folder), IDENTITY_LOCAL: 'true' }),
    id: 'configuration.identity.local',
    state: 'warning',
    said: /can mint admin tokens/,
    advice: /remove IDENTITY_LOCAL/,
  },
  {
    fault: 'e-mails need not be verified',
    plant: (folder) => production(folder, ['IDENTITY_EMAIL_CHECK']),
    id: 'configuration.identity.email-check',
    state: 'warning',
    said: /recommended in production/,
    advice: /IDENTITY_EMAIL_CHECK=verified/,
  },
  {
    fault: 'mail is off',
    plant: (folder) => production(folder, ['SMTP_URL']),
    id: 'configuration.mail.server',
    state: 'warning',
    said: /Mail is off/,
    advice: /SMTP_URL/,
  },
  {
    fault: 'a proxy must be in front, and none is trusted',
    plant: (folder) => ({ ...production(folder), PUBLIC_URL: 'https://apis.example.com' }),
    id: 'configuration.proxy',
    state: 'warning',
    said: /TRUST_PROXY is off/,
    advice: /Set TRUST_PROXY/,
  },
];

test.each([...ofIssuer, ...ofProduction])('$fault', (fault) => expectDiagnosis(patient.copy(), fault));

test('Firebase needs no page to sign in at, if people sign in by e-mail and password', async () => {
  const firebase = await startFirebaseStandIn();
  onTestFinished(() => firebase.close());
  const { checks } = await doctor({ DATA_DIR: patient.copy(), ...firebase.variables });
  const [found] = checks.filter(({ id }) => id === 'identity.console');
  expect(found).toMatchObject({ state: 'skipped', said: expect.stringContaining('at Firebase') as string });
});
