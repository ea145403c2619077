import { beforeEach, expect, test } from 'vitest';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeEach);

const runAccountsTool = (...args: readonly string[]) => installation.runTool('accounts', ...args);
const statusOf = async (token: string, path: string): Promise<number> =>
  (await installation.api.call({ token }, 'GET', path)).status;

test('a running service immediately sees the service accounts that the tool creates, rotates and revokes', async () => {
  await installation.compose();
  const creation = await runAccountsTool('add', 'ci-publisher', '--scope', 'catalog:read', '--scope', 'audit:read');
  expect(creation.code).toBe(0);
  expect(creation.stdout).toMatch(/^portico_sa_\w{71}\n$/);
  expect(creation.stderr).toBe('Created the service account ci-publisher. Its token is shown only this once:\n');
  const token = creation.stdout.trim();
  expect(await statusOf(token, '/api/collections/')).toBe(200);
  expect(await statusOf(token, '/api/usage')).toBe(403);

  const readerCreation = await installation.runTool(
    ...['--json', 'accounts', 'add', 'Reader', '--scope', 'usage:read', '--expires', '2999-01-31'],
  );
  const { token: printedToken, ...record } = JSON.parse(readerCreation.stdout) as Record<string, unknown>;
  expect(printedToken).toMatch(/^portico_sa_/);
  expect(record).toMatchObject({ name: 'Reader', scopes: ['usage:read'], expires_at: '2999-02-01T00:00:00.000Z' });
  expect((await runAccountsTool('list')).stdout).toBe(
    'ci-publisher  catalog:read audit:read\nReader  usage:read  until 2999-01-31\n',
  );

  const rotation = await runAccountsTool('rotate', 'CI-Publisher', '--grace', '3600');
  expect(rotation.stderr).toContain('the previous one is valid for 3600 more seconds');
  for (const accountToken of [token, rotation.stdout.trim()])
    expect(await statusOf(accountToken, '/api/collections/')).toBe(200);
  expect(await runAccountsTool('delete', 'ci-publisher')).toMatchObject({
    code: 0,
    stdout: 'ci-publisher is revoked.\n',
  });
  for (const accountToken of [token, rotation.stdout.trim()])
    expect(await statusOf(accountToken, '/api/collections/')).toBe(401);
});

test('a name that is already in use is rejected', async () => {
  expect((await runAccountsTool('add', 'robot', '--scope', 'audit:read')).code).toBe(0);
  const secondRun = await runAccountsTool('add', 'ROBOT', '--scope', 'audit:read');
  expect(secondRun).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('already exists') as string });
});

test('the tool works for a service account within its scopes, and names a missing scope', async () => {
  const { address } = await installation.compose();
  const accounts = { seeing: ['access:read'], seeingAll: ['access:read', 'limits:write'], granting: ['access:write'] };
  const tokens: Record<string, string> = {};
  for (const [name, scopes] of Object.entries(accounts))
    tokens[name] = (await runAccountsTool('add', `the ${name} one`, '--scope', ...scopes)).stdout.trim();
  const runAs = (name: keyof typeof accounts, ...args: readonly string[]) =>
    installation.runToolWith({ PORTICO_SERVER: address, PORTICO_TOKEN: tokens[name] ?? '' }, ...args);

  for (const [name, hasTier] of [
    ['seeing', false],
    ['seeingAll', true],
  ] as const) {
    const { code, stdout, stderr } = await runAs(name, '--json', 'people', 'list');
    expect([code, stderr]).toEqual([0, '']);
    expect((JSON.parse(stdout) as object[]).map((person) => 'tier' in person)).toEqual([hasTier]);
  }
  expect(await runAs('granting', 'groups', 'add', 'Crew')).toMatchObject({ code: 0 });
  expect(await runAs('granting', 'groups', 'add', 'Fast crew', '--tier', 'gold')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'says "Scope required: limits:write": this needs an admin, or a service account with the scope limits:write.',
    ) as string,
  });
});
