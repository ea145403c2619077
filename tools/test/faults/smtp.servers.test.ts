import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFaultProxy, startSmtpServer, type FaultMode } from '@portico/test-servers';
import { describe, expect, test, type TestContext } from 'vitest';
import { register } from '../clients.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  unavailableState,
  pollUntil,
  countFailures,
  logOf,
  prepareCallers,
  availableState,
  startTraffic,
  stateOf,
  trafficVariables,
  warningsOf,
  type Callers,
} from './traffic.ts';

const credentials = { user: 'portico', password: 'password-of-smtp-that-nobody-may-read' };

type SmtpServer = NonNullable<Awaited<ReturnType<typeof startSmtpServer>>>;

interface Setup {
  readonly smtp: SmtpServer;
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  readonly installation: Installation;
  readonly callers: Callers;
}

/** Starts a server that requires a login, a proxy in this mode in front of it, and an installation. */
const prepare = async ({ onTestFinished }: TestContext, initialMode: FaultMode): Promise<Setup> => {
  const smtp = await startSmtpServer({ credentials });
  if (!smtp) throw new Error('A server without TLS can always be started');
  const proxy = await startFaultProxy(smtp);
  await proxy.set(initialMode);
  const url = new URL(`${proxy.rewriteUrl(smtp.url)}?tls=off`);
  url.username = credentials.user;
  url.password = credentials.password;
  const installation = await createInstallation({ ...trafficVariables, SMTP_URL: url.href, ADMIN_NOTICES: 'off' });
  onTestFinished(async () => {
    await installation.remove();
    await proxy.close();
    await smtp.close();
  });
  await installation.start();
  const callers = await prepareCallers(installation.api, await installation.createAdminToken(), (uid) =>
    installation.createToken(uid),
  );
  return { smtp, proxy, installation, callers };
};

interface NewClient {
  readonly id: string;
  readonly email: string;
  readonly secret: string;
}

const approve = async ({ installation: { api }, callers: { admin } }: Setup, uid: string): Promise<NewClient> => {
  const id = await register(api, uid);
  const response = await api.call(admin, 'POST', `/api/profiles/${id}/approve`);
  expect(response.status).toBe(200);
  return { id, email: `${uid}@example.com`, secret: (response.body as Record<string, string>).client_secret ?? '' };
};

const mailsTo = ({ smtp }: Setup, email: string) =>
  smtp.listAccepted().filter(({ envelope }) => envelope.to.includes(email));

const countFailedJobs = ({ installation }: Setup): number =>
  logOf(installation).lines.filter(({ msg }) => msg === 'A job failed; retrying later').length;

/** Expects no secret in the log or any other file of the installation, including the database. */
const expectNoSecretAnywhere = ({ installation, callers }: Setup, clients: readonly NewClient[]) => {
  const login = `\0${credentials.user}\0${credentials.password}`;
  const encodedSecrets = [login, credentials.password].map((text) => Buffer.from(text).toString('base64'));
  const secrets = [
    credentials.password,
    callers.client.key.secret,
    ...encodedSecrets,
    ...clients.map(({ secret }) => secret),
  ];
  const files = readdirSync(installation.folder, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain('service.log');
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    for (const secret of secrets) expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
};

describe('the SMTP server', () => {
  test('may be down at startup and hang later: approvals work, and each email arrives when it is available again', async (context) => {
    const setup = await prepare(context, 'down');
    const { smtp, proxy, installation, callers } = setup;
    const { api } = installation;
    const traffic = startTraffic(api, callers, { pauseMs: 100 });
    const clients: NewClient[] = [];
    const exchanges = await traffic.recordDuring(async () => {
      for (const mode of ['down', 'hang'] as const) {
        await proxy.set(mode);
        const failedBefore = countFailedJobs(setup);
        clients.push(await approve(setup, `while-${mode}`));
        await pollUntil(
          () => countFailedJobs(setup),
          (count) => count > failedBefore,
        );
        expect(
          await pollUntil(
            () => stateOf(api, 'smtp'),
            ({ status, up }) => status === 'unavailable' && up === '0',
          ),
        ).toEqual(unavailableState);
      }
      expect(smtp.listAccepted()).toEqual([]);
      expectNoSecretAnywhere(setup, clients);

      await proxy.set('pass');
      await pollUntil(
        () => clients.filter(({ email }) => mailsTo(setup, email).length === 0),
        (waitingClients) => waitingClients.length === 0,
      );
    });
    await traffic.stop();
    expect(countFailures(exchanges)).toEqual({});
    for (const { email, secret } of clients) {
      expect(mailsTo(setup, email).map(({ text }) => text.includes(secret))).toEqual([true]);
    }
    expect(
      await pollUntil(
        () => stateOf(api, 'smtp'),
        ({ status, up }) => status === 'ok' && up === '1',
      ),
    ).toEqual(availableState);
    expect(warningsOf(installation)).toContain('A job failed; retrying later');
    expectNoSecretAnywhere(setup, clients);
  });
});
