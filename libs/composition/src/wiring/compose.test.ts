import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { stopTime, createTemporaryFolder } from '@portico/test-servers';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { compose, type Composition } from './compose.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';
import { openLocalIssuer } from './local-issuer.ts';
import { toStartFailure } from '../runtime/start-failure.ts';

let folder: string;
const openedPorticos: Composition[] = [];
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
});
afterEach(async () => {
  for (const portico of openedPorticos.splice(0)) await portico.close();
});

const key = Buffer.alloc(32, 7).toString('base64');
const logger = createLogger('silent', 'test');

const open = async (variables: Record<string, string> = {}): Promise<Composition> => {
  const portico = await compose(readConfig({ DATA_DIR: folder, ...variables }), logger, 'http');
  openedPorticos.push(portico);
  return portico;
};

/** This machine's discard port, where nothing listens. */
const closedAddress = '127.0.0.1:9';

/** Every combination of parts; none needs a network to start. */
const profiles: Record<string, Record<string, string>> = {
  'the embedded default': {},
  'jobs run elsewhere': { JOBS: 'off' },
  'a configured issuer': { IDENTITY_ISSUER: 'https://id.example.com', IDENTITY_AUDIENCE: 'portico' },
  'a configured issuer and the local one': {
    IDENTITY_ISSUER: 'https://id.example.com',
    IDENTITY_AUDIENCE: 'portico',
    IDENTITY_LOCAL: 'true',
  },
  'servers that are all unavailable': {
    REDIS_URL: `redis://${closedAddress}`,
    QDRANT_URL: `http://${closedAddress}`,
    OLLAMA_URL: `http://${closedAddress}`,
    SMTP_URL: `smtp://${closedAddress}`,
  },
  production: { NODE_ENV: 'production', SECRETS_KEY: key, IDENTITY_LOCAL: 'true' },
};

test.each(Object.entries(profiles))('%s: every port exists', async (_name, variables) => {
  const { ports, localIssuer } = await open(variables);
  for (const [name, port] of Object.entries(ports)) expect(port, name).toBeDefined();
  expect(localIssuer !== null).toBe(variables.IDENTITY_LOCAL === 'true' || !variables.IDENTITY_ISSUER);
});

test('/ready reports servers that accept connections but do not respond, before a load balancer times out', async () => {
  const silentServer = createServer();
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  silentServer.on('connection', (socket) => void sockets.add(socket.on('error', () => undefined)));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silentServer.close();
  });
  const address = `127.0.0.1:${(silentServer.address() as AddressInfo).port}`;
  const { useCases } = await open({
    REDIS_URL: `redis://${address}`,
    QDRANT_URL: `http://${address}`,
    OLLAMA_URL: `http://${address}`,
    SMTP_URL: `smtp://${address}`,
    IDENTITY_ISSUER: `http://${address}`,
    IDENTITY_AUDIENCE: 'portico',
  });
  const time = stopTime(vi);
  onTestFinished(time.restore);
  const startedAt = performance.now();
  const { ready, parts } = await time.advanceUntil(useCases.readReadiness());
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(ready).toBe(true);
  expect(parts.filter(({ essential }) => !essential).map(({ name, state }) => [name, state.status])).toEqual(
    ['redis', 'job queue', 'smtp', 'identity', 'embedder', 'vector index'].map((name) => [name, 'unavailable']),
  );
});

test('the first admin is created only if there is no admin yet', async () => {
  const firstPortico = await open();
  expect(await firstPortico.ports.profiles.findByEmail('admin@localhost')).toMatchObject({
    role: 'admin',
    status: 'approved',
  });
  await firstPortico.close();
  const secondPortico = await open({ BOOTSTRAP_ADMIN_UID: 'other', BOOTSTRAP_ADMIN_EMAIL: 'other@example.com' });
  expect(await secondPortico.ports.profiles.findByEmail('other@example.com')).toBeNull();
});

test('a secrets key is created in the data folder, readable only by its owner, and no other key opens the data', async () => {
  const firstPortico = await open();
  const sealedSecret = firstPortico.ports.cipher.seal('s3cret', 'here');
  await firstPortico.close();
  const file = join(folder, 'secrets.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const reopenedPortico = await open();
  expect(reopenedPortico.ports.cipher.open(sealedSecret, 'here')).toBe('s3cret');
  await reopenedPortico.close();
  writeFileSync(file, `${key}\n`);
  await expect(open()).rejects.toThrow('SECRETS_KEY_PREVIOUS');
});

test('two processes that start concurrently on an empty store have the same key and the same installation', async () => {
  const [firstPortico, secondPortico] = await Promise.all([open(), open()]);
  expect(secondPortico.ports.cipher.open(firstPortico.ports.cipher.seal('s3cret', 'here'), 'here')).toBe('s3cret');
  expect(secondPortico.ports.keys.tag('an API secret')).toBe(firstPortico.ports.keys.tag('an API secret'));
  expect(secondPortico.installation).toBe(firstPortico.installation);
});

test('a changed pepper is reported in one sentence', async () => {
  const firstPortico = await open();
  const { pepper } = await firstPortico.ports.sealed.read();
  await firstPortico.ports.sealed.resealPepper(
    pepper ?? '',
    `${pepper?.slice(0, -1)}${pepper?.endsWith('A') ? 'Q' : 'A'}`,
  );
  await firstPortico.close();
  const { message: text } = toStartFailure(await open().catch((error: unknown) => error));
  expect(text).toMatch(/^The pepper of the API keys was changed .* run "portico keys reset"\.$/);
});

test('a missing key file is not created again while the database contains a pepper that it sealed', async () => {
  await (await open()).close();
  const file = join(folder, 'secrets.key');
  rmSync(file);
  await expect(open()).rejects.toThrow(`${file} is missing`);
  expect(existsSync(file)).toBe(false);
});

test.each<[string, (folder: string) => Record<string, string>, string]>([
  ['a file as the data folder', (folder) => ({ DATA_DIR: join(folder, 'a file') }), 'DATA_DIR: '],
  ['a data folder inside a file', (folder) => ({ DATA_DIR: join(folder, 'a file', 'x') }), 'DATA_DIR: '],
  ['a key file without a key', (folder) => ({ SECRETS_KEY_FILE: join(folder, 'a file') }), 'SECRETS_KEY_FILE: '],
  ['a folder as the key file', (folder) => ({ SECRETS_KEY_FILE: folder }), 'SECRETS_KEY_FILE: '],
  ['a key file within a file', (folder) => ({ SECRETS_KEY_FILE: join(folder, 'a file', 'x') }), 'SECRETS_KEY_FILE: '],
  [
    'a heartbeat file in a missing folder',
    (folder) => ({ HEARTBEAT_FILE: join(folder, 'no', 'x') }),
    'HEARTBEAT_FILE: ',
  ],
  ['a folder as the database', (folder) => ({ DATABASE_URL: `sqlite:${folder}` }), 'The database '],
  [
    'a file that is not a database',
    (folder) => ({ DATABASE_URL: `sqlite:${join(folder, 'a file')}` }),
    'The database ',
  ],
])(
  '%s is reported in one sentence that names the path but does not reveal its content',
  async (_fault, variables, name) => {
    writeFileSync(join(folder, 'a file'), 'something private that is longer than a key');
    const failure: unknown = await open(variables(folder)).catch((error: unknown) => error);
    const { message: text, exitCode } = toStartFailure(failure);
    expect(text).toContain(name);
    expect(text).toContain(folder);
    expect(text).not.toMatch(/\n +at |something private/);
    expect(exitCode).toBe(1);
  },
);

test('a previous key still opens data that it sealed, and the tags of API secrets survive the change', async () => {
  const porticoBefore = await open({ SECRETS_KEY: key });
  const sealedSecret = porticoBefore.ports.cipher.seal('s3cret', 'here');
  const tag = porticoBefore.ports.keys.tag('an API secret');
  await porticoBefore.close();
  const newKey = Buffer.alloc(32, 8).toString('base64');
  const porticoAfter = await open({ SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: key });
  expect(porticoAfter.ports.cipher.open(sealedSecret, 'here')).toBe('s3cret');
  expect(porticoAfter.ports.keys.tag('an API secret')).toBe(tag);
});

test('after one start with a new key, the service no longer needs the previous one and still knows the API secrets', async () => {
  const porticoBefore = await open({ SECRETS_KEY: key });
  const tag = porticoBefore.ports.keys.tag('an API secret');
  await porticoBefore.close();
  const newKey = Buffer.alloc(32, 8).toString('base64');
  await expect(open({ SECRETS_KEY: newKey })).rejects.toThrow('SECRETS_KEY_PREVIOUS');
  await (await open({ SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: key })).close();
  const porticoAfter = await open({ SECRETS_KEY: newKey });
  expect(porticoAfter.ports.keys.tag('an API secret')).toBe(tag);
});

test('the error for a file without a local issuer key names the file but does not reveal its content', async () => {
  const path = join(folder, 'local-issuer.key');
  writeFileSync(path, '{"d":"something private');
  const failure: unknown = await open().catch((error: unknown) => error);
  expect(failure).toEqual(expect.objectContaining({ message: expect.stringContaining(path) as string }));
  expect(inspect(failure, { depth: 10 })).not.toContain('something private');
});

test('a token of the local issuer is valid in every process that uses the same data folder', async () => {
  const localIssuer = await openLocalIssuer(readConfig({ DATA_DIR: folder }));
  const token = await localIssuer?.mint({ uid: 'ada', email: 'Ada@Example.com', ttlSeconds: 60 });
  const { ports } = await open();
  expect(await ports.tokens.verify(token ?? '')).toEqual({
    issuer: 'https://local-issuer.portico.invalid',
    uid: 'ada',
    // The email address as claimed: the code that compares it normalizes it.
    email: 'Ada@Example.com',
    emailVerified: false,
    isAccessToken: false,
    groups: null,
  });
});

test('request counts survive a restart, even if a worker or tool runs in the meantime', async () => {
  const rule = { allowed: 2, windowSeconds: 3_600 };
  const service = await open();
  await service.ports.limiter.consume('client:ada', rule);
  await service.close();
  const tool = await compose(readConfig({ DATA_DIR: folder }), logger, 'tool');
  const reopenedPortico = await open();
  expect(await reopenedPortico.ports.limiter.peek('client:ada', rule)).toMatchObject({ remaining: 1 });
  await reopenedPortico.close();
  await tool.close();
  const lastPortico = await open();
  expect(await lastPortico.ports.limiter.peek('client:ada', rule)).toMatchObject({ remaining: 1 });
});

test('opened parts are closed if a later part fails', async () => {
  writeFileSync(join(folder, 'secrets.key'), 'no key');
  await expect(open()).rejects.toThrow('is not a secrets key');
  writeFileSync(join(folder, 'secrets.key'), `${key}\n`);
  await open();
});
