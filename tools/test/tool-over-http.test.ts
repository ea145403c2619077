import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@portico/test-servers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { register } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';
import type { ToolRun } from './run-tool.ts';

const installation = provideInstallation(beforeAll, { RATE_LIMIT_FAILED_KEYS: 'off' });
let address: string;
let token: string;
beforeAll(async () => {
  ({ address } = await installation.compose());
  token = (await installation.tool('token', '--admin')).stdout.trim();
});

const document = (title: string) => JSON.stringify({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

const write = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

/** Runs the tool as on another machine, for the service at this address. */
const at = (server: string, ...args: readonly string[]): Promise<ToolRun> =>
  installation.toolElsewhere(
    { PORTICO_SERVER: server, PORTICO_TOKEN: token, DATA_DIR: join(installation.folder, 'elsewhere') },
    ...args,
  );

const remotely = (...args: readonly string[]): Promise<ToolRun> => at(address, ...args);

test('a command that works on the stores alone leaves PORTICO_SERVER out, and says so', async () => {
  const elsewhere = { PORTICO_SERVER: 'no address', DATA_DIR: join(installation.folder, 'elsewhere') };
  const minted = await installation.toolElsewhere(elsewhere, 'token', '--admin');
  expect(minted).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/) as string,
    stderr: 'portico: "portico token" works on the stores alone (DATA_DIR, DATABASE_URL): PORTICO_SERVER is not used\n',
  });
  const quiet = await installation.toolElsewhere(elsewhere, '--server', '', 'token', '--admin');
  expect(quiet).toMatchObject({ code: 0, stderr: '' });
  expect((await remotely('keys', 'check', 'x')).stdout).toContain('not well formed');
});

test.each([
  [
    { PORTICO_TOKEN: 'nonsense' },
    1,
    /says "Invalid or expired token": it does not take the credential of PORTICO_TOKEN: /,
  ],
  [{}, 1, /there is no credential for http:.* run "portico login --server http:.*", or set PORTICO_TOKEN/],
  [{ PORTICO_TOKEN: 'a', PORTICO_TOKEN_FILE: 'b' }, 2, /PORTICO_TOKEN and PORTICO_TOKEN_FILE are both set/],
  [{ PORTICO_TOKEN_FILE: '/nowhere/token' }, 1, /PORTICO_TOKEN_FILE: \/nowhere\/token cannot be read \(ENOENT\)/],
  [{ PORTICO_TOKEN: 'sEcr\net' }, 1, /PORTICO_TOKEN holds no token/],
])('the credential of %j is refused in words that tell what to do', async (variables, code, said) => {
  const ran = await installation.toolElsewhere(
    { HOME: installation.folder, ...variables },
    '--server',
    address,
    'admin',
    'list',
  );
  expect(ran).toEqual({ code, stdout: '', stderr: expect.stringMatching(said) as string });
  expect(ran.stderr).not.toContain('sEcr');
});

test('the credential may be in a file, and one without the role is refused with what is missing', async () => {
  const file = write('token', `${token}\n`);
  const admin = await installation.toolElsewhere(
    { PORTICO_TOKEN_FILE: file },
    '--server',
    address,
    'people',
    'list',
    '--admins',
  );
  expect(admin).toMatchObject({ code: 0, stderr: '' });
  const { api, person } = installation;
  await register(api, 'eve');
  const eve = (await person('eve')) as { token: string };
  const ran = await installation.toolElsewhere(
    { PORTICO_TOKEN: eve.token },
    '--server',
    address,
    'import',
    write('e.json', document('E')),
  );
  expect([ran.code, ran.stderr]).toEqual([
    1,
    expect.stringContaining(
      'says "Admin access required": this needs an admin, or a service account with the scope catalog:write',
    ),
  ]);
});

test('who one is at the server is shown', async () => {
  const { code, stdout } = await remotely('whoami');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^http:.*: admin@localhost, admin, by PORTICO_TOKEN, until \d{4}-.*Z\.\n$/),
  ]);
});

/** A server that is not Portico, and what it was sent. */
const otherServer = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test.each([
  ['http://portico.example.com', 2, 'is plain http, where anyone on the way can read the credential'],
  ['ftp://portico.example.com', 2, 'is no address of a server'],
  ['portico.example.com', 2, 'is no address of a server'],
  ['https://me:hunter2@portico.example.com', 2, 'must not hold a user or password'],
  [`http://127.0.0.1:${await freePort()}`, 1, 'cannot be reached (ECONNREFUSED)'],
])('the server %s is refused', async (server, code, said) => {
  const ran = await at(server, 'whoami');
  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) as string });
  expect(ran.stderr).not.toContain('hunter2');
});

test('a redirect to another origin does not get the credential', async () => {
  const received: (string | undefined)[] = [];
  const thief = await otherServer((request, response) => {
    received.push(request.headers.authorization);
    response.end('[]');
  });
  const server = await otherServer((_request, response) => response.writeHead(307, { location: `${thief}/` }).end());
  const ran = await at(server, 'people', 'list', '--admins');
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`redirects to ${thief}, which does not get`) as string,
  });
  expect(received).toEqual([]);
});

test('an import waits as long as a server asks, and sends again what broke, but not for ever', async () => {
  let calls = 0;
  const answers: readonly RequestListener[] = [
    (_request, response) => response.writeHead(429, { 'retry-after': '1' }).end('{"detail":"Rate limit exceeded"}'),
    (request) => request.socket.destroy(),
    (_request, response) => response.writeHead(503).end('{"detail":"Draining"}'),
    (_request, response) => response.writeHead(200).end('{"id":"1","outcome":"created","description_derived":false}'),
  ];
  const patient = await otherServer((request, response) => {
    request.resume().once('end', () => answers[calls++]?.(request, response));
  });
  const file = write('patient.json', document('Patient'));
  const ran = await at(patient, 'import', file);
  expect([ran.code, calls, ran.stdout]).toEqual([0, 4, expect.stringContaining('1 created')]);
  expect(ran.stderr).toContain('takes no more requests for now: trying again in 1 s');
  let refused = 0;
  const stubborn = await otherServer((_request, response) => {
    refused++;
    response.writeHead(429, { 'retry-after': '0' }).end('{"detail":"Rate limit exceeded"}');
  });
  const given = await at(stubborn, 'import', file);
  expect([given.code, refused, given.stderr]).toEqual([1, 5, expect.stringContaining('An admin can raise its limit')]);
});

test('an answer that is not of Portico is told as one', async () => {
  const server = await otherServer((_request, response) => response.end('<html>'));
  const ran = await at(server, 'people', 'list', '--admins');
  expect(ran.stderr).toContain('does not answer as Portico does (status 200): is the address right?');
});
