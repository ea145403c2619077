import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFaultProxy, startSmtpServer, type FaultMode } from '@portico/test-servers';
import { describe, expect, test, type TestContext } from 'vitest';
import { register } from '../clients.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  away,
  eventually,
  failures,
  logOf,
  prepareSenders,
  present,
  startTraffic,
  stateOf,
  trafficVariables,
  warningsOf,
  type Senders,
} from './traffic.ts';

const credentials = { user: 'portico', password: 'password-of-smtp-that-nobody-may-read' };

type SmtpServer = NonNullable<Awaited<ReturnType<typeof startSmtpServer>>>;

interface Stage {
  readonly smtp: SmtpServer;
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  readonly installation: Installation;
  readonly senders: Senders;
}

/** A server that requires a login, a proxy in front of it, and an installation started with the proxy in this mode. */
const prepare = async ({ onTestFinished }: TestContext, atStart: FaultMode): Promise<Stage> => {
  const smtp = await startSmtpServer({ credentials });
  if (!smtp) throw new Error('A server without TLS needs nothing');
  const proxy = await startFaultProxy(smtp);
  await proxy.set(atStart);
  const url = new URL(`${proxy.through(smtp.url)}?tls=off`);
  url.username = credentials.user;
  url.password = credentials.password;
  const installation = await createInstallation({ ...trafficVariables, SMTP_URL: url.href, ADMIN_NOTICES: 'off' });
  onTestFinished(async () => {
    await installation.remove();
    await proxy.close();
    await smtp.close();
  });
  await installation.start();
  const senders = await prepareSenders(installation.api, await installation.admin(), (uid) => installation.person(uid));
  return { smtp, proxy, installation, senders };
};

interface Approved {
  readonly id: string;
  readonly email: string;
  readonly secret: string;
}

const approve = async ({ installation: { api }, senders: { admin } }: Stage, uid: string): Promise<Approved> => {
  const id = await register(api, uid);
  const answer = await api.call(admin, 'POST', `/api/profiles/${id}/approve`);
  expect(answer.status).toBe(200);
  return { id, email: `${uid}@example.com`, secret: (answer.body as Record<string, string>).client_secret ?? '' };
};

const mailsTo = ({ smtp }: Stage, email: string) => smtp.taken().filter(({ envelope }) => envelope.to.includes(email));

const failedJobs = ({ installation }: Stage): number =>
  logOf(installation).lines.filter(({ msg }) => msg === 'A job failed; retrying later').length;

/** No secret is in the log or any other file of the installation, including the database. */
const expectNoSecretAnywhere = ({ installation, senders }: Stage, approved: readonly Approved[]) => {
  const login = `\0${credentials.user}\0${credentials.password}`;
  const encoded = [login, credentials.password].map((text) => Buffer.from(text).toString('base64'));
  const secrets = [
    credentials.password,
    senders.client.key.secret,
    ...encoded,
    ...approved.map(({ secret }) => secret),
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
  test('may be down from the start, and later while it sends: approvals work, and each mail arrives once it is back', async (context) => {
    const stage = await prepare(context, 'down');
    const { smtp, proxy, installation, senders } = stage;
    const { api } = installation;
    const traffic = startTraffic(api, senders, { pauseMs: 100 });
    const approved: Approved[] = [];
    const seen = await traffic.during(async () => {
      for (const mode of ['down', 'hang'] as const) {
        await proxy.set(mode);
        const failedBefore = failedJobs(stage);
        approved.push(await approve(stage, `while-${mode}`));
        await eventually(
          () => failedJobs(stage),
          (failed) => failed > failedBefore,
        );
        expect(
          await eventually(
            () => stateOf(api, 'smtp'),
            ({ status, up }) => status === 'unavailable' && up === '0',
          ),
        ).toEqual(away);
      }
      expect(smtp.taken()).toEqual([]);
      expectNoSecretAnywhere(stage, approved);

      await proxy.set('pass');
      await eventually(
        () => approved.filter(({ email }) => mailsTo(stage, email).length === 0),
        (waiting) => waiting.length === 0,
      );
    });
    await traffic.stop();
    expect(failures(seen)).toEqual({});
    for (const { email, secret } of approved) {
      expect(mailsTo(stage, email).map(({ text }) => text.includes(secret))).toEqual([true]);
    }
    expect(
      await eventually(
        () => stateOf(api, 'smtp'),
        ({ status, up }) => status === 'ok' && up === '1',
      ),
    ).toEqual(present);
    expect(warningsOf(installation)).toContain('A job failed; retrying later');
    expectNoSecretAnywhere(stage, approved);
  });
});
