import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '@portico/test-servers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { register } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';
import type { ToolRun } from './run-tool.ts';

const installation = provideInstallation(beforeAll, { RATE_LIMIT_FAILED_KEYS: 'off' });
let address: string;
let token: string;
beforeAll(async () => {
  ({ address } = await installation.compose());
  token = (await installation.runTool('token', '--admin')).stdout.trim();
});

const document = (title: string) => JSON.stringify({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

const write = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

/** Runs the tool as on another machine, against the service at this URL. */
const runAt = (server: string, ...args: readonly string[]): Promise<ToolRun> =>
  installation.runToolWith(
    { PORTICO_SERVER: server, PORTICO_TOKEN: token, DATA_DIR: join(installation.folder, 'elsewhere') },
    ...args,
  );

const runRemotely = (...args: readonly string[]): Promise<ToolRun> => runAt(address, ...args);

test('a command that works only on the stores ignores PORTICO_SERVER, and reports that', async () => {
  const otherVariables = { PORTICO_SERVER: 'no address', DATA_DIR: join(installation.folder, 'elsewhere') };
  const tokenRun = await installation.runToolWith(otherVariables, 'token', '--admin');
  expect(tokenRun).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/) as string,
    stderr: 'portico: "portico token" works only on the stores (DATA_DIR, DATABASE_URL): PORTICO_SERVER is not used\n',
  });
  const quietRun = await installation.runToolWith(otherVariables, '--server', '', 'token', '--admin');
  expect(quietRun).toMatchObject({ code: 0, stderr: '' });
  expect((await runRemotely('keys', 'check', 'x')).stdout).toContain('not well formed');
});

test.each([
  [{ PORTICO_TOKEN: 'nonsense' }, 1, /says "Invalid or expired token": it rejects the credential from PORTICO_TOKEN: /],
  [{}, 1, /there is no credential for http:.* run "portico login --server http:.*", or set PORTICO_TOKEN/],
  [{ PORTICO_TOKEN: 'a', PORTICO_TOKEN_FILE: 'b' }, 2, /PORTICO_TOKEN and PORTICO_TOKEN_FILE are both set/],
  [{ PORTICO_TOKEN_FILE: '/nowhere/token' }, 1, /PORTICO_TOKEN_FILE: \/nowhere\/token cannot be read \(ENOENT\)/],
  [{ PORTICO_TOKEN: 'sEcr\net' }, 1, /PORTICO_TOKEN is not a token/],
])('the credential of %j is rejected with a message that explains what to do', async (variables, code, message) => {
  const result = await installation.runToolWith(
    { HOME: installation.folder, ...variables },
    '--server',
    address,
    'admin',
    'list',
  );
  expect(result).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) as string });
  expect(result.stderr).not.toContain('sEcr');
});

test('the credential can be in a file, and if it lacks a role, the error names the role', async () => {
  const file = write('token', `${token}\n`);
  const admin = await installation.runToolWith(
    { PORTICO_TOKEN_FILE: file },
    '--server',
    address,
    'people',
    'list',
    '--admins',
  );
  expect(admin).toMatchObject({ code: 0, stderr: '' });
  const { api, createToken } = installation;
  await register(api, 'eve');
  const eve = (await createToken('eve')) as { token: string };
  const result = await installation.runToolWith(
    { PORTICO_TOKEN: eve.token },
    '--server',
    address,
    'import',
    write('e.json', document('E')),
  );
  expect([result.code, result.stderr]).toEqual([
    1,
    expect.stringContaining(
      'says "Admin access required": this needs an admin, or a service account with the scope catalog:write',
    ),
  ]);
});

test("whoami prints the caller's identity on the server", async () => {
  const { code, stdout } = await runRemotely('whoami');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^http:.*: admin@localhost, admin, from PORTICO_TOKEN, until \d{4}-.*Z\.\n$/),
  ]);
});

/** Starts a server that is not Portico, and returns its URL. */
const startOtherServer = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test.each([
  ['http://portico.example.com', 2, 'is plain http, where anyone on the network path can read the credential'],
  ['ftp://portico.example.com', 2, 'is not the address of a server'],
  ['portico.example.com', 2, 'is not the address of a server'],
  ['https://me:hunter2@portico.example.com', 2, 'must not contain a user or password'],
  [`http://127.0.0.1:${await findFreePort()}`, 1, 'cannot be reached (ECONNREFUSED)'],
])('the server %s is rejected', async (server, code, message) => {
  const result = await runAt(server, 'whoami');
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) as string });
  expect(result.stderr).not.toContain('hunter2');
});

test('a redirect to a different origin does not receive the credential', async () => {
  const receivedCredentials: (string | undefined)[] = [];
  const otherOrigin = await startOtherServer((request, response) => {
    receivedCredentials.push(request.headers.authorization);
    response.end('[]');
  });
  const server = await startOtherServer((_request, response) =>
    response.writeHead(307, { location: `${otherOrigin}/` }).end(),
  );
  const result = await runAt(server, 'people', 'list', '--admins');
  expect(result).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`redirects to ${otherOrigin}; the credential is not sent there`) as string,
  });
  expect(receivedCredentials).toEqual([]);
});

test('an import honors Retry-After and retries failed requests, but not forever', async () => {
  let callCount = 0;
  const responses: readonly RequestListener[] = [
    (_request, response) => response.writeHead(429, { 'retry-after': '1' }).end('{"detail":"Rate limit exceeded"}'),
    (request) => request.socket.destroy(),
    (_request, response) => response.writeHead(503).end('{"detail":"Draining"}'),
    (_request, response) => response.writeHead(200).end('{"id":"1","outcome":"created","description_derived":false}'),
  ];
  const recoveringServer = await startOtherServer((request, response) => {
    request.resume().once('end', () => responses[callCount++]?.(request, response));
  });
  const file = write('patient.json', document('Patient'));
  const result = await runAt(recoveringServer, 'import', file);
  expect([result.code, callCount, result.stdout]).toEqual([0, 4, expect.stringContaining('1 created')]);
  expect(result.stderr).toContain('accepts no more requests for now: trying again in 1 s');
  let rejections = 0;
  const rejectingServer = await startOtherServer((_request, response) => {
    rejections++;
    response.writeHead(429, { 'retry-after': '0' }).end('{"detail":"Rate limit exceeded"}');
  });
  const failure = await runAt(rejectingServer, 'import', file);
  expect([failure.code, rejections, failure.stderr]).toEqual([1, 5, expect.stringContaining('An admin can raise it')]);
});

test('a response that is not from Portico is reported as such', async () => {
  const server = await startOtherServer((_request, response) => response.end('<html>'));
  const result = await runAt(server, 'people', 'list', '--admins');
  expect(result.stderr).toContain('does not respond like Portico (status 200): is the address right?');
});
