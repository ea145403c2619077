import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '@portico/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createInstallation, type Installation } from './installation.ts';
import type { ToolRun } from './run-tool.ts';

let installation: Installation;
let address: string;
let token: string;
beforeAll(async () => {
  installation = await createInstallation({ RATE_LIMIT_FAILED_KEYS: 'off' });
  ({ address } = await installation.compose());
  token = (await installation.tool('token', '--admin')).stdout.trim();
});
afterAll(() => installation.remove());

const document = (title: string, ...paths: readonly string[]) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title, description: `About ${title}`, version: '1' },
    paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'It' } } } }])),
  });

const write = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

/** Runs the tool as on another machine, for this service unless the arguments name another. */
const remotely = (...args: readonly string[]): Promise<ToolRun> =>
  installation.toolElsewhere(
    { PORTICO_SERVER: address, PORTICO_TOKEN: token, DATA_DIR: join(installation.folder, 'elsewhere') },
    ...args,
  );

interface Summary {
  readonly taken: readonly { readonly id: string | null; readonly outcome: string; readonly changes?: unknown }[];
  readonly refused_files: readonly { readonly reason: string }[];
}
const summaryOf = ({ stdout }: ToolRun) => JSON.parse(stdout) as Summary;

/** What a client of the database can see of everything that an import writes. */
const rows = (): string => {
  const database = new DatabaseSync(join(installation.folder, 'portico.sqlite'), { readOnly: true });
  try {
    return JSON.stringify([
      database.prepare('select * from collections order by id').all(),
      database.prepare('select collection_id, crc32, bytes from documents order by 1').all(),
      database.prepare('select collection_id, key from operations order by 1, 2').all(),
      database.prepare('select id, message from audit_entries union select id, message from audit_arrivals').all(),
      database.prepare('select catalog from epochs').all(),
    ]);
  } finally {
    database.close();
  }
};

test('an import over HTTP reports as one on the stores does, and updates the same collections', async () => {
  write('good.json', document('Good', '/a'));
  write(
    'good.yaml',
    'openapi: 3.1.0\ninfo: {title: Good too, version: "1.10"}\npaths: {}\nx-big: 12345678901234567890\n',
  );
  write('departing.json', JSON.stringify({ openapi: '3.0.3', info: { title: 'Departing' }, paths: {} }));
  write('package.json', '{}');
  write('broken.json', '{"openapi": "3.0.3",\n "info": {"title": "x"},\n "paths": }');
  const folder = join(installation.folder, 'documents');
  const first = await remotely('import', folder);
  expect([first.code, first.stderr]).toEqual([1, expect.not.stringContaining(token)]);
  const lines = first.stdout.replace(/[0-9a-f-]{36}/g, 'ID').split('\n');
  expect(lines).toEqual([
    `created    ID  Departing  (${folder}/departing.json)  1 departure`,
    `created    ID  Good  (${folder}/good.json)`,
    `created    ID  Good too  (${folder}/good.yaml)`,
    `skipped    ${folder}/package.json: no OpenAPI document`,
    expect.stringMatching(`^refused    ${folder}/broken.json: .*line 3`),
    '3 created, 0 updated, 0 unchanged, 1 skipped, 1 refused.',
    '1 document with departures from the official schema: --explain shows them.',
    '',
  ]);
  // On the stores the same paths are the same collections: the same lines, word for word.
  const [there, here] = [
    await remotely('import', folder, '--verbose'),
    await installation.tool('import', folder, '--verbose'),
  ];
  expect(there.stdout).toContain('0 created, 0 updated, 3 unchanged');
  expect(here).toEqual({ ...there, stderr: expect.any(String) as string });
  const [json, stores] = [
    await remotely('--json', 'import', folder),
    await installation.tool('--json', 'import', folder),
  ];
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(stores.stdout));
  const strict = await remotely('import', join(folder, 'departing.json'), '--strict');
  expect([strict.code, strict.stdout]).toEqual([1, expect.stringMatching(/^refused .*: openapi_spec\/info .*version/)]);
});

test('a dry run says what would happen and writes nothing, over HTTP and on the stores', async () => {
  const file = write('dry/a.json', document('Dry', '/a', '/b'));
  await remotely('import', file);
  write('dry/a.json', document('Drier', '/b', '/c'));
  write('dry/new.json', document('New', '/n'));
  write('dry/broken.json', '{"openapi": ');
  const folder = join(installation.folder, 'documents/dry');
  const before = rows();
  const [there, here] = [
    await remotely('import', folder, '--dry-run'),
    await installation.tool('import', folder, '--dry-run'),
  ];
  expect([here.code, here.stdout]).toEqual([there.code, there.stdout]);
  expect(there.code).toBe(1);
  expect(there.stdout.replace(/[0-9a-f-]{36}/g, 'ID').split('\n')).toEqual([
    `updated    ID  Drier  (${folder}/a.json)`,
    '    name: "Dry" becomes "Drier"',
    '    description: "About Dry" becomes "About Drier"',
    '    document: its text changes',
    '    1 operation added',
    '      + GET /c',
    '    1 operation removed',
    '      - GET /a',
    `created    (new)  New  (${folder}/new.json)`,
    '    1 operation in it',
    expect.stringMatching(`^refused    ${folder}/broken.json: `),
    'Dry run, nothing was written. It would be 1 created, 1 updated, 0 unchanged, 0 skipped, 1 refused.',
    '',
  ]);
  const json = await remotely('--json', 'import', join(folder, 'a.json'), '--dry-run');
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    0,
    { dry_run: true, updated: 1, taken: [{ changes: { operations_added: { total: 1, first: ['GET /c'] } } }] },
  ]);
  expect(rows()).toBe(before);
  // The comparison sees what an import writes.
  await remotely('import', join(folder, 'a.json'));
  expect(rows()).not.toBe(before);
});

test('a source makes import keys that are the same on every machine, and differ from those of other sources', async () => {
  const [mine, copy] = [write('one/openapi.json', document('Mine')), write('two/openapi.json', document('Mine'))];
  const from = async (variables: Record<string, string>, ...args: readonly string[]) => {
    const ran = await installation.toolElsewhere(
      { PORTICO_SERVER: address, PORTICO_TOKEN: token, ...variables },
      ...['--json', 'import'],
      ...args,
    );
    return summaryOf(ran).taken[0]?.outcome;
  };
  const based = (file: string) => [file, '--base', join(file, '..')] as const;
  expect(await from({ GITHUB_REPOSITORY: 'acme/one' }, ...based(mine))).toBe('created');
  expect(await from({ GITHUB_REPOSITORY: 'acme/one' }, ...based(copy))).toBe('unchanged');
  expect(await from({ CI_PROJECT_PATH: 'acme/one' }, ...based(copy))).toBe('unchanged');
  expect(await from({ GITHUB_REPOSITORY: 'acme/two' }, ...based(copy))).toBe('created');
  expect(await from({}, ...based(copy), '--source', 'acme/two')).toBe('unchanged');
});

test('a document can be published as the collection of a name', async () => {
  const file = write('named.json', document('Its title'));
  const [first, again] = [
    await remotely('--json', 'import', file, '--name', 'Chosen'),
    await remotely('--json', 'import', file, '--name', 'Chosen'),
  ];
  expect([summaryOf(first).taken[0]?.outcome, summaryOf(again).taken[0]?.outcome]).toEqual(['created', 'unchanged']);
  expect(summaryOf(again).taken[0]?.id).toBe(summaryOf(first).taken[0]?.id);
  const local = await installation.tool('--json', 'import', file, '--name', 'Chosen');
  expect(summaryOf(local).taken[0]).toMatchObject({ outcome: 'unchanged', id: summaryOf(first).taken[0]?.id });
  const folder = join(file, '../one');
  write('one/second.json', document('Second'));
  expect(await remotely('import', folder, '--name', 'Chosen')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--name is for one document, and these are 2') as string,
  });
});

test('admins are listed over HTTP as on the stores', async () => {
  const there = await remotely('admin', 'list');
  expect(there.stdout).toContain('admin@localhost');
  expect(await installation.tool('admin', 'list')).toEqual(there);
});

test.each([
  [['admin', 'promote', 'x@example.com'], '"portico admin promote" works on the stores alone'],
  [['jobs', 'list'], '"portico jobs list" works on the stores alone'],
  [['jobs', 'retry', 'x'], '"portico jobs retry" works on the stores alone'],
  [['reindex'], '"portico reindex" works on the stores alone'],
  [['index', 'rebuild'], '"portico index rebuild" works on the stores alone'],
  [['backup', '/nowhere/file'], '"portico backup" works on the stores alone'],
  [['restore', '/nowhere/file'], '"portico restore" works on the stores alone'],
  [['keys', 'reseal'], '"portico keys reseal" works on the stores alone'],
  [['token', '--admin'], '"portico token" works on the stores alone'],
  [['import', '.', '--as', 'x@example.com'], '--as is not for a server'],
])('%j refuses a server', async (args, said) => {
  expect(await remotely(...args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(said) as string,
  });
});

test('a command that needs no store works whatever server is set, and one that needs a server says so', async () => {
  expect((await remotely('key', 'check', 'x')).stdout).toContain('not well formed');
  const { code, stderr } = await installation.toolElsewhere({}, 'whoami');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('asks a server: pass --server URL, or set PORTICO_SERVER'),
  ]);
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
  const admin = await installation.toolElsewhere({ PORTICO_TOKEN_FILE: file }, '--server', address, 'admin', 'list');
  expect(admin).toMatchObject({ code: 0, stderr: '' });
  const { api, person } = installation;
  await api.ask(null, 'POST', '/api/profiles/register', {
    firebase_uid: 'eve',
    email: 'eve@example.com',
    full_name: 'Eve',
  });
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
  const ran = await installation.toolElsewhere({ PORTICO_TOKEN: token }, '--server', server, 'whoami');
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
  const ran = await installation.toolElsewhere({ PORTICO_TOKEN: token }, '--server', server, 'admin', 'list');
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
  const ran = await installation.toolElsewhere({ PORTICO_TOKEN: token }, '--server', patient, 'import', file);
  expect([ran.code, calls, ran.stdout]).toEqual([0, 4, expect.stringContaining('1 created')]);
  expect(ran.stderr).toContain('takes no more requests for now: trying again in 1 s');
  let refused = 0;
  const stubborn = await otherServer((_request, response) => {
    refused++;
    response.writeHead(429, { 'retry-after': '0' }).end('{"detail":"Rate limit exceeded"}');
  });
  const given = await installation.toolElsewhere({ PORTICO_TOKEN: token }, '--server', stubborn, 'import', file);
  expect([given.code, refused, given.stderr]).toEqual([1, 5, expect.stringContaining('An admin can raise its limit')]);
});

test('an answer that is not of Portico is told as one', async () => {
  const server = await otherServer((_request, response) => response.end('<html>'));
  const ran = await installation.toolElsewhere({ PORTICO_TOKEN: token }, '--server', server, 'admin', 'list');
  expect(ran.stderr).toContain('does not answer as Portico does (status 200): is the address right?');
});
