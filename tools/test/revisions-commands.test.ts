import { beforeAll, expect, test } from 'vitest';
import { addCollection } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);
let remoteVariables: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { address } = await installation.compose();
  const token = (await installation.runTool('token', '--admin')).stdout.trim();
  remoteVariables = { PORTICO_SERVER: address, PORTICO_TOKEN: token };
});

const documentOf = (path: string) => ({
  openapi: '3.0.3',
  info: { title: 'Roads', version: '1' },
  paths: { [path]: { get: { responses: {} } } },
});

test.each(['on the stores', 'on a server'])('revisions are listed, compared and restored %s', async (place) => {
  const admin = await installation.createAdminToken();
  const name = `Roads ${place}`;
  const id = await addCollection(installation.api, admin, { name, openapi_spec: documentOf('/a') });
  const run = (...args: readonly string[]) =>
    place === 'on the stores'
      ? installation.runTool('collections', ...args)
      : installation.runToolWith(remoteVariables, 'collections', ...args);
  expect(await run('diff', name)).toMatchObject({ code: 0, stdout: 'The collection has had only one document.\n' });
  await installation.api.request(admin, 'PUT', `/api/collections/${id}`, { openapi_spec: documentOf('/b') });

  const { stdout: listText } = await run('revisions', name);
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
  expect(listText).toMatch(new RegExp(String.raw`^2 +${time} +\S+@\S+ +1 breaking, 0 to check, 1 other *\n1 +${time}`));
  expect(JSON.parse((await run('revisions', id, '--json')).stdout)).toMatchObject([
    { number: 2, origin: null, counts: { breaking: 1, warning: 0, info: 1 } },
    { number: 1, counts: null },
  ]);

  const { stdout: diffText } = await run('diff', name);
  expect(diffText).toBe(
    'From revision 1 to 2: 1 breaking, 0 to check, 1 other.\n' +
      'breaking  GET /a  The operation was removed.\ninfo      GET /b  The operation was added.\n',
  );
  expect(JSON.parse((await run('diff', name, '--from', '2', '--to', '1', '--json')).stdout)).toMatchObject({
    ...{ from: 2, to: 1 },
    changes: [{ path: '/b' }, { path: '/a' }],
  });

  expect(await run('restore', name, '1')).toMatchObject({ code: 0, stdout: `restored  ${name}  revision 1\n` });
  expect(await run('restore', name, '3')).toMatchObject({ code: 0, stdout: `unchanged  ${name}  revision 3\n` });
  const missing = await run('restore', name, '9');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('Revision not found')]);
  expect((await run('diff', name, '--from', 'x')).stderr).toContain('It must be the number of a revision, such as 3.');
  expect((await run('revisions', 'No such collection')).stderr).toContain('there is no collection No such collection');
});
