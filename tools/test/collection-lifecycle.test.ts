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

const openapi_spec = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

test.each(['on the stores', 'on a server'])(
  'the lifecycle, owner and tags of a collection are set and shown %s',
  async (place) => {
    const admin = await installation.createAdminToken();
    const [name, next] = [`Weather ${place}`, `Weather two ${place}`];
    const id = await addCollection(installation.api, admin, { name, openapi_spec });
    const successor = await addCollection(installation.api, admin, { name: next, openapi_spec });
    const group = `Crew ${place}`;
    await installation.api.request(admin, 'POST', '/api/groups', { name: group });
    const run = (...args: readonly string[]) =>
      place === 'on the stores'
        ? installation.runTool('collections', ...args)
        : installation.runToolWith(remoteVariables, 'collections', ...args);
    const show = async () => (await run('show', name)).stdout;

    expect(await show()).toMatch(/^id +\S+\nname +Weather.*\nlifecycle +active\nowner +none\ntags +none\n$/);
    expect(await run('retire', name)).toMatchObject({ code: 1 });
    const details = ['--since', '2026-01-02', '--sunset', '2027-01-02', '--successor', next, '--text', 'Use\nit.'];
    expect(await run('deprecate', name, ...details)).toMatchObject({
      code: 0,
      stdout: `set  ${name}  deprecated since 2026-01-02 until 2027-01-03 00:00 UTC\n`,
    });
    expect(await run('deprecate', name, '--sunset', '2001-01-01')).toMatchObject({ code: 1 });
    expect(await run('retire', id)).toMatchObject({ code: 0 });
    expect(await run('owner', name, '--group', group)).toMatchObject({
      code: 0,
      stdout: `set  ${name}  owned by the group ${group}\n`,
    });
    expect(await run('owner', name, '--group', 'No such group')).toMatchObject({ code: 1 });
    for (const options of [[], ['--group', group, '--none']])
      expect(await run('owner', name, ...options)).toMatchObject({ code: 2 });
    expect(await run('tags', name, 'public', 'Sea and sky')).toMatchObject({
      code: 0,
      stdout: `set  ${name}  public, Sea and sky\n`,
    });
    const output = await show();
    expect(output).toMatch(/lifecycle +retired since 2026-01-02 until 2027-01-03 00:00 UTC\n/);
    for (const text of [successor, 'Use it.', group, 'public, Sea and sky']) expect(output).toContain(text);
    expect((await run('list', name)).stdout).toContain('  retired\n');
    expect(await run('activate', name)).toMatchObject({ code: 0, stdout: `set  ${name}  active\n` });
    expect(await run('owner', name, '--none')).toMatchObject({ code: 0 });
    expect(await run('tags', name)).toMatchObject({ code: 0, stdout: `set  ${name}  no tags\n` });
    expect(await show()).toMatch(/lifecycle +active\nowner +none\ntags +none\n$/);
    expect(await run('show', 'No such API')).toMatchObject({ code: 1 });
    expect(await run('show', '00000000-0000-4000-8000-000000000000')).toMatchObject({ code: 1 });
  },
);
