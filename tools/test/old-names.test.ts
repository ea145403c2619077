import { beforeAll, expect, test } from 'vitest';
import { oldNames } from '@portico/cli';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);

/** The arguments of each old command. Most refer to things that do not exist, so that a second run prints the same. */
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

test.each(Object.entries(oldNames))('%s still does the same as %s, and prints a notice', async (old, today) => {
  const [args, commands] = [argumentsOf[old] ?? [], { old: old.split(' '), today: today.split(' ') }];
  const [before, after] = [
    await installation.tool(...commands.old, ...args),
    await installation.tool(...commands.today, ...args),
  ];
  const notice = `portico: "portico ${old}" is now "portico ${today}"; the next release removes the old name\n`;
  expect(before).toEqual({ ...after, stderr: `${notice}${after.stderr}` });
  // This is not the error for a command that does not exist.
  expect(after.stderr).not.toMatch(/unknown command|too many arguments/);
});

test('global options may appear anywhere around an old name', async () => {
  const today = await installation.tool('--json', 'people', 'list');
  for (const line of [
    '--json profiles list',
    'profiles --json list',
    'profiles list --json',
    '--server= profiles --json list',
  ])
    expect(await installation.tool(...line.split(' '))).toMatchObject({ code: 0, stdout: today.stdout });
  expect((await installation.tool('usage', '--json')).stdout).toBe('[]\n');
  expect(await installation.tool('usage', 'list')).toMatchObject({ code: 0, stderr: '' });
});
