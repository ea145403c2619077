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
  const [firstIndex, secondIndex] = findWordPositions(args);
  const [noun = '', verb = ''] = [firstIndex, secondIndex].map((index) => (index === undefined ? '' : args[index]));
  const wantsHelp = args.some((arg) => ['-h', '--help', '--version'].includes(arg));
  const oldName = oldNames[`${noun} ${verb}`] === undefined ? noun : `${noun} ${verb}`;
  const currentName = oldNames[oldName];
  const isNoun = program.commands.some((command) => command.name() === noun && command.commands.length > 0);
  if (
    currentName === undefined ||
    firstIndex === undefined ||
    (isNoun && oldName === noun && (verb !== '' || wantsHelp))
  )
    return { args: !wantsHelp && verb === '' && (noun === '' || isNoun) ? [...args, '--help'] : args, notice: null };
  const lastIndex = oldName === noun || secondIndex === undefined ? firstIndex : secondIndex;
  const argsBetween = args.slice(firstIndex + 1, lastIndex);
  return {
    args: [...args.slice(0, firstIndex), ...currentName.split(' '), ...argsBetween, ...args.slice(lastIndex + 1)],
    notice: `"portico ${oldName}" is now "portico ${currentName}"; the next release removes the old name`,
  };
};

/** Returns the positions of a command's first two words, or of its only word. Global options may come between them. */
const findWordPositions = (args: readonly string[]): readonly number[] => {
  const positions: number[] = [];
  for (let index = 0; index < args.length && positions.length < 2; index++) {
    const arg = args[index] ?? '';
    if (arg === '--server') index += 1;
    else if (!arg.startsWith('-')) positions.push(index);
    else if (!['--json', '--insecure'].includes(arg) && !arg.startsWith('--server=')) break;
  }
  return positions;
};
