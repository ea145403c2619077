import type { Command } from 'commander';

/**
 * The command names of the previous release. They work for one more release, and print the new name on standard error.
 */
export const oldNames: Readonly<Record<string, string>> = {
  'admin list': 'people list --admins',
  'admin promote': 'people promote',
  'profiles list': 'people list',
  approve: 'people approve',
  suspend: 'people suspend',
  resume: 'people resume',
  who: 'access list',
  grant: 'access grant',
  revoke: 'access revoke',
  'group list': 'groups list',
  'group show': 'groups show',
  'group create': 'groups add',
  'group delete': 'groups delete',
  'group add': 'groups add-member',
  'group remove': 'groups remove-member',
  requests: 'requests list',
  'tier set': 'limits set-tier',
  'tier assign': 'limits assign',
  'limit override': 'limits override',
  usage: 'usage list',
  audit: 'audit list',
  'key rotate': 'keys rotate',
  'key expire': 'keys expire',
  'key check': 'keys check',
  'service-account create': 'accounts add',
  'service-account list': 'accounts list',
  'service-account rotate': 'accounts rotate',
  'service-account revoke': 'accounts delete',
};

/** A command line with current names, and the notice to print if an old name was typed. */
export interface CurrentCommandLine {
  readonly args: readonly string[];
  /** Null if no old name was typed. */
  readonly notice: string | null;
}

/**
 * Replaces the old name of a command with the current one. A noun on its own shows its help, just as the tool shows its
 * help without arguments. However, `usage`, `audit` and `requests` used to be commands, and remain commands as long as
 * the old names work.
 */
export const withCurrentNames = (program: Command, args: readonly string[]): CurrentCommandLine => {
  const [first, second] = wordPositions(args);
  const [noun = '', verb = ''] = [first, second].map((at) => (at === undefined ? '' : args[at]));
  const wantsHelp = args.some((arg) => ['-h', '--help', '--version'].includes(arg));
  const old = oldNames[`${noun} ${verb}`] === undefined ? noun : `${noun} ${verb}`;
  const currentName = oldNames[old];
  const isNoun = program.commands.some((command) => command.name() === noun && command.commands.length > 0);
  if (currentName === undefined || first === undefined || (isNoun && old === noun && (verb !== '' || wantsHelp)))
    return { args: !wantsHelp && verb === '' && (noun === '' || isNoun) ? [...args, '--help'] : args, notice: null };
  const last = old === noun || second === undefined ? first : second;
  const between = args.slice(first + 1, last);
  return {
    args: [...args.slice(0, first), ...currentName.split(' '), ...between, ...args.slice(last + 1)],
    notice: `"portico ${old}" is now "portico ${currentName}"; the next release removes the old name`,
  };
};

/** Returns the positions of a command's first two words, or of its only word. Global options may come between them. */
const wordPositions = (args: readonly string[]): readonly number[] => {
  const positions: number[] = [];
  for (let at = 0; at < args.length && positions.length < 2; at++) {
    const arg = args[at] ?? '';
    if (arg === '--server') at += 1;
    else if (!arg.startsWith('-')) positions.push(at);
    else if (!['--json', '--insecure'].includes(arg) && !arg.startsWith('--server=')) break;
  }
  return positions;
};
