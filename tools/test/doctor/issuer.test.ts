import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startFakeFirebase, startIdentityProvider, startSmtpServer } from '@portico/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createHealthyInstallation, runDoctor, expectDiagnosis, type Fault, type Variables } from './diagnosis.ts';

const provider = await startIdentityProvider();
const smtp = await startSmtpServer();
let healthyInstallation: Awaited<ReturnType<typeof createHealthyInstallation>>;
beforeAll(async () => {
  healthyInstallation = await createHealthyInstallation();
});
afterAll(() => Promise.all([provider.close(), smtp?.close(), healthyInstallation.remove()]));

const bootstrapVariables = { BOOTSTRAP_ADMIN_UID: 'root', BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' };

/** Returns the variables of a production installation without a fault. */
const createProductionVariables = (folder: string, omittedNames: readonly string[] = []): Variables => {
  const variables: Variables = {
    NODE_ENV: 'production',
    SECRETS_KEY_FILE: join(folder, 'secrets.key'),
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_EMAIL_CHECK: 'verified',
    SMTP_URL: smtp?.url ?? '',
    MAIL_FROM: 'portico@example.com',
    ...bootstrapVariables,
  };
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !omittedNames.includes(name)));
};

interface IssuerOptions {
  /** The issuer in the discovery document; by default, the issuer itself. */
  readonly issuer?: string;
  readonly keys?: readonly object[];
  /** The number of seconds by which the issuer's clock is ahead. */
  readonly aheadSeconds?: number;
  /** Additional members of the discovery document. */
  readonly otherMembers?: object;
}

/** Starts an issuer with a discovery document and keys, and returns the variables for this issuer. */
const startIssuer = async ({
  issuer,
  keys = [createRsaKey(2_048)],
  aheadSeconds = 0,
  otherMembers = { authorization_endpoint: 'https://id.example.com/authorize' },
}: IssuerOptions): Promise<Variables> => {
  const server = createServer((request, response) => {
    const ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const discovery = { issuer: issuer ?? ownUrl, jwks_uri: `${ownUrl}/keys`, ...otherMembers };
    response.setHeader('date', new Date(Date.now() + aheadSeconds * 1_000).toUTCString());
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : discovery));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { IDENTITY_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const createRsaKey = (modulusLength: number): object => ({
  ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
  kid: 'one',
});

const issuerFaults: readonly Fault[] = [
  {
    fault: 'the issuer is unavailable',
    inject: (folder) => ({ ...createProductionVariables(folder), IDENTITY_ISSUER: 'http://127.0.0.1:8009' }),
    id: 'identity.issuer',
    state: 'wrong',
    message: /cannot be discovered: .*ECONNREFUSED/,
    advice: /make sure that this machine can reach it/,
    skips: ['identity.keys', 'identity.console'],
  },
  {
    fault: 'the discovery document names a different issuer',
    inject: async (folder) => ({
      ...createProductionVariables(folder),
      ...(await startIssuer({ issuer: 'https://other.example.com' })),
    }),
    id: 'identity.issuer',
    state: 'wrong',
    message: /names a different issuer: "https:\/\/other\.example\.com"/,
    advice: /exactly the name that the provider uses/,
    skips: ['identity.keys', 'identity.console'],
  },
  {
    fault: 'the issuer publishes no usable key',
    inject: async (folder) => ({
      ...createProductionVariables(folder),
      ...(await startIssuer({ keys: [createRsaKey(1_024)] })),
    }),
    id: 'identity.keys',
    state: 'wrong',
    message: /The key set has no usable key/,
    advice: /RS256/,
  },
  {
    fault: 'the issuer has no sign-in page',
    inject: async (folder) => ({ ...createProductionVariables(folder), ...(await startIssuer({ otherMembers: {} })) }),
    id: 'identity.console',
    state: 'warning',
    message: /has no authorization_endpoint/,
    advice: /IDENTITY_FIREBASE_API_KEY/,
  },
  {
    fault: 'the issuer supports no PKCE method that the console uses',
    inject: async (folder) => ({
      ...createProductionVariables(folder),
      ...(await startIssuer({
        otherMembers: {
          authorization_endpoint: 'https://id.example.com/',
          code_challenge_methods_supported: ['plain'],
        },
      })),
    }),
    id: 'identity.console',
    state: 'warning',
    message: /does not support S256/,
    advice: /Turn on PKCE/,
  },
  {
    fault: 'the tokens of the console would be rejected',
    inject: (folder) => ({ ...createProductionVariables(folder), IDENTITY_CONSOLE_CLIENT_ID: 'console' }),
    id: 'identity.console',
    state: 'warning',
    message: /the ID tokens of its client console would be rejected/,
    advice: /Add IDENTITY_CONSOLE_CLIENT_ID to IDENTITY_AUDIENCE/,
  },
  {
    fault: 'the client of the console is not an authorized party',
    inject: (folder) => ({ ...createProductionVariables(folder), IDENTITY_AUTHORIZED_PARTIES: 'another' }),
    id: 'identity.console',
    state: 'warning',
    message: /the ID tokens of its client .* would be rejected/,
    advice: /Add IDENTITY_CONSOLE_CLIENT_ID to IDENTITY_AUTHORIZED_PARTIES/,
  },
  {
    fault: 'the issuer publishes only its keys',
    inject: async (folder) => {
      const { IDENTITY_ISSUER: address } = await startIssuer({});
      return {
        ...createProductionVariables(folder),
        IDENTITY_ISSUER: 'http://127.0.0.1:8009',
        IDENTITY_JWKS_URL: `${address}/keys`,
      };
    },
    id: 'identity.console',
    state: 'warning',
    message: /No one can sign in to the console: .*ECONNREFUSED/,
    advice: /discovery document/,
  },
  {
    fault: 'the clock of the issuer is wrong',
    inject: async (folder) => ({ ...createProductionVariables(folder), ...(await startIssuer({ aheadSeconds: 300 })) }),
    id: 'clock.issuer',
    state: 'wrong',
    message: /clock of the issuer is (299|300|301) s ahead/,
    advice: /NTP/,
  },
  {
    fault: 'no admin can sign in',
    inject: (folder) => createProductionVariables(folder, Object.keys(bootstrapVariables)),
    id: 'admins',
    state: 'wrong',
    message: /No admin can sign in/,
    advice: /portico people promote EMAIL/,
  },
];

const productionFaults: readonly Fault[] = [
  {
    fault: 'the local issuer is on in production',
    inject: (folder) => ({ ...createProductionVariables(folder), IDENTITY_LOCAL: 'true' }),
    id: 'configuration.identity.local',
    state: 'warning',
    message: /can mint admin tokens/,
    advice: /remove IDENTITY_LOCAL/,
  },
  {
    fault: 'emails need not be verified',
    inject: (folder) => createProductionVariables(folder, ['IDENTITY_EMAIL_CHECK']),
    id: 'configuration.identity.email-check',
    state: 'warning',
    message: /recommended in production/,
    advice: /IDENTITY_EMAIL_CHECK=verified/,
  },
  {
    fault: 'mail is off',
    inject: (folder) => createProductionVariables(folder, ['SMTP_URL']),
    id: 'configuration.mail.server',
    state: 'warning',
    message: /Mail is off/,
    advice: /SMTP_URL/,
  },
  {
    fault: 'a proxy is required, but none is trusted',
    inject: (folder) => ({ ...createProductionVariables(folder), PUBLIC_URL: 'https://apis.example.com' }),
    id: 'configuration.proxy',
    state: 'warning',
    message: /TRUST_PROXY is off/,
    advice: /Set TRUST_PROXY/,
  },
];

test.each([...issuerFaults, ...productionFaults])('reports that $fault', (fault) =>
  expectDiagnosis(healthyInstallation.copy(), fault),
);

test('Firebase needs no sign-in page if people sign in with email and password', async () => {
  const firebase = await startFakeFirebase();
  onTestFinished(() => firebase.close());
  const { checks } = await runDoctor({ DATA_DIR: healthyInstallation.copy(), ...firebase.variables });
  const [check] = checks.filter(({ id }) => id === 'identity.console');
  expect(check).toMatchObject({ state: 'skipped', said: expect.stringContaining('through Firebase') as string });
});
