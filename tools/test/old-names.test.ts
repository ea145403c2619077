import { beforeAll, expect, test } from 'vitest';
import { oldNames } from '@portico/cli';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);

/** What each old command is typed with here: mostly of what does not exist, so that a second run says the same. */
const typedWith: Readonly<Record<string, readonly string[]>> = {
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

test.each(Object.entries(oldNames))('%s still does what %s does, and says so', async (old, today) => {
  const [given, by] = [typedWith[old] ?? [], { old: old.split(' '), today: today.split(' ') }];
  const [before, after] = [
    await installation.tool(...by.old, ...given),
    await installation.tool(...by.today, ...given),
  ];
  const said = `portico: "portico ${old}" is "portico ${today}" now; the old name goes with the next release\n`;
  expect(before).toEqual({ ...after, stderr: `${said}${after.stderr}` });
  // Not what is said of a command that does not exist.
  expect(after.stderr).not.toMatch(/unknown command|too many arguments/);
});

test('options of the whole tool may stand anywhere around an old name', async () => {
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
