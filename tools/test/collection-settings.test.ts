import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { addCollection } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';
import { inheritedVariables, runTool, startToolProcess } from './run-tool.ts';

const installation = provideInstallation(beforeAll);
let remoteVariables: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { address } = await installation.compose();
  const token = (await installation.runTool('token', '--admin')).stdout.trim();
  remoteVariables = { PORTICO_SERVER: address, PORTICO_TOKEN: token };
});

const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: {},
  components: {
    securitySchemes: {
      key: { type: 'apiKey', name: 'X-Key', in: 'header' },
      login: { type: 'http', scheme: 'basic' },
      oauth: { type: 'oauth2', flows: {} },
    },
  },
};

const secret = 'the upstream s3cret';
const writeSecret = (): string => {
  const file = join(installation.folder, 'secret');
  writeFileSync(file, `${secret}\n`);
  return file;
};

test.each(['on the stores', 'on a server'])('settings and credentials are set and removed %s', async (place) => {
  const admin = await installation.createAdminToken();
  const name = `Weather ${place}`;
  const id = await addCollection(installation.api, admin, { name, openapi_spec: document });
  const run = async (...args: readonly string[]) => {
    const result = await (place === 'on the stores'
      ? installation.runTool('collections', ...args)
      : installation.runToolWith(remoteVariables, 'collections', ...args));
    expect(`${result.stdout}${result.stderr}`).not.toContain(secret);
    return result;
  };
  const readSettings = async () =>
    (await installation.api.request<{ settings: object }>(admin, 'GET', `/api/collections/${id}/summary`)).settings;

  const variables = ['--variables', 'region=eu', 'path=a=b'];
  expect(await run('set', name, '--base-url', 'https://weather.example.com', ...variables)).toMatchObject({
    code: 0,
    stdout: `set  ${name}\n`,
  });
  expect(await readSettings()).toEqual({
    base_url: 'https://weather.example.com',
    server_variables: { region: 'eu', path: 'a=b' },
  });
  await run('set', id, '--no-base-url');
  expect(await readSettings()).toEqual({ base_url: null, server_variables: { region: 'eu', path: 'a=b' } });
  await run('set', id, '--no-variables');
  expect(await readSettings()).toEqual({ base_url: null, server_variables: {} });

  const file = writeSecret();
  for (const args of [['key'], ['login', '--username', 'ada'], ['oauth', '--client-id', 'ada']])
    expect(await run('set-credential', name, ...args, '--file', file)).toMatchObject({
      code: 0,
      stdout: `stored  ${name}  ${args[0]}\n`,
    });
  const list = await run('list-credentials', name);
  expect(list.stdout.replaceAll(/ {2,}/g, ' ')).toMatch(
    /^key value everyone in the API's authentication\nlogin basic everyone changed [\d-]{10}\noauth client everyone changed [\d-]{10}\n$/,
  );
  const metadata = await installation.api.request<{ authentication: object }>(
    admin,
    'GET',
    `/api/collections/${id}/metadata`,
  );
  expect(metadata.authentication).toMatchObject({ value: secret });
  expect(await run('delete-credential', name, 'key', 'nothing', 'oauth')).toMatchObject({
    code: 1,
    stdout: 'deleted  key\nrefused  nothing: Credential not found\ndeleted  oauth\n',
  });
  expect(JSON.parse((await run('list-credentials', id, '--json')).stdout)).toMatchObject([{ scheme: 'login' }]);
});

test('credentials for a group and a profile, and the delivery, are set', async () => {
  const admin = await installation.createAdminToken();
  const id = await addCollection(installation.api, admin, { name: 'Delivered', openapi_spec: document });
  await installation.api.request(admin, 'POST', '/api/groups', { name: 'Crew' });
  const run = (...args: readonly string[]) => installation.runTool('collections', ...args);
  const file = ['--file', writeSecret()];
  expect(await run('set-credential', id, 'key', '--group', 'Crew', ...file)).toMatchObject({ code: 0 });
  expect(await run('set-credential', id, 'key', '--profile', 'none@example.com', ...file)).toMatchObject({ code: 1 });
  const both = ['--group', 'Crew', '--profile', 'ada@example.com'];
  expect(await run('set-credential', id, 'key', ...both, ...file)).toMatchObject({ code: 2 });
  expect((await run('list-credentials', id)).stdout).toMatch(/^key +value +group Crew +changed [\d-]{10}\n$/);
  expect(await run('set-delivery', id, '--delivery', 'call', '--own-credentials')).toMatchObject({
    code: 0,
    stdout: `set  ${id}  call  with own credentials\n`,
  });
  expect(await run('set-delivery', id)).toMatchObject({ code: 2 });
  expect(await run('delete-credential', id, 'key')).toMatchObject({ code: 1 });
  expect(await run('delete-credential', id, 'key', '--group', 'Crew')).toMatchObject({ code: 0 });
});

test('a name must identify one collection', async () => {
  const admin = await installation.createAdminToken();
  for (let count = 0; count < 2; count++)
    await addCollection(installation.api, admin, { name: 'Twice', openapi_spec: document });
  const run = (name: string) => installation.runTool('collections', 'list-credentials', name);
  expect(await run('Twic')).toMatchObject({ code: 1, stderr: expect.stringContaining('no collection Twic') as string });
  expect(await run('Twice')).toMatchObject({ code: 1, stderr: expect.stringContaining('pass an id') as string });
});

test('a secret is read from standard input, but not from a terminal, and must not be empty', async () => {
  const admin = await installation.createAdminToken();
  const id = await addCollection(installation.api, admin, { name: 'Piped', openapi_spec: document });
  const args = ['collections', 'set-credential', id, 'key'];
  const { child, result } = startToolProcess({ ...inheritedVariables, ...remoteVariables }, args);
  child.stdin.end(`${secret}\n`);
  expect(await result).toMatchObject({ code: 0, stdout: `stored  ${id}  key\n` });
  expect(await runTool(remoteVariables, args, secret)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('standard input is a terminal') as string,
  });
  expect(await runTool(remoteVariables, args)).toMatchObject({
    code: 2,
    stderr: 'portico: the secret is empty\n',
  });
  const missingFile = join(root, 'no-such-file');
  expect((await runTool(remoteVariables, [...args, '--file', missingFile])).stderr).toBe(
    `portico: --file: ${missingFile} cannot be read (ENOENT)\n`,
  );
});
