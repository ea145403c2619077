import { beforeAll, expect, test } from 'vitest';
import { oldNames } from '@portico/cli';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);

/** The arguments of each old command. Most refer to things that do not exist, so that a second run prints the same output. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  'admin promote': ['nobody@example.com'],
  approve: ['nobody@example.com'],
  suspend: ['nobody@example.com', '--reason', 'Left'],
  resume: ['nobody@example.com'],
  who: ['--csv'],
  grant: ['--to', 'nobody@example.com', '--collections', 'No such API'],
  revoke: ['--from', 'nobody@example.com', '--collections', 'No such API'],
  'group show': ['Nope'],
  'group create': ['two\nlines'],
  'group delete': ['Nope'],
  'group add': ['Nope', 'nobody@example.com'],
  'group remove': ['Nope', 'nobody@example.com'],
  requests: ['--all'],
  'tier set': ['gold', '--limit', '600'],
  'tier assign': ['none', 'nobody@example.com'],
  'limit override': ['nobody@example.com', '1000/60'],
  usage: ['--by', 'day', '--csv'],
  audit: ['--limit', '5', '--action', 'search.reindex'],
  'key rotate': ['nobody@example.com'],
  'key expire': ['nobody@example.com', 'never'],
  'key check': ['nonsense'],
  'service-account create': ['robot'],
  'service-account rotate': ['nobody'],
  'service-account revoke': ['nobody'],
};

test.each(Object.entries(oldNames))(
  '%s still does the same thing as %s, and prints a notice',
  async (oldName, newName) => {
    const [args, commands] = [argumentsOf[oldName] ?? [], { old: oldName.split(' '), current: newName.split(' ') }];
    const [before, after] = [
      await installation.runTool(...commands.old, ...args),
      await installation.runTool(...commands.current, ...args),
    ];
    const notice = `portico: "portico ${oldName}" is now "portico ${newName}"; the next release removes the old name\n`;
    expect(before).toEqual({ ...after, stderr: `${notice}${after.stderr}` });
    // The command exists: the error is not the one for an unknown command.
    expect(after.stderr).not.toMatch(/unknown command|too many arguments/);
  },
);

test('global options may appear anywhere around an old name', async () => {
  const expected = await installation.runTool('--json', 'people', 'list');
  for (const line of [
    '--json profiles list',
    'profiles --json list',
    'profiles list --json',
    '--server= profiles --json list',
  ])
    expect(await installation.runTool(...line.split(' '))).toMatchObject({ code: 0, stdout: expected.stdout });
  expect((await installation.runTool('usage', '--json')).stdout).toBe('[]\n');
  expect(await installation.runTool('usage', 'list')).toMatchObject({ code: 0, stderr: '' });
});
