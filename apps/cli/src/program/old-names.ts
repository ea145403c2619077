import type { Command } from 'commander';

/** The names of the release before: they work for one release, and say the new one on standard error. */
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

/** A command line by today's names, and what to say of the ones that were typed. */
export interface Named {
  readonly args: readonly string[];
  /** Null if today's names were typed. */
  readonly said: string | null;
}

/**
 * Puts today's name of a command in place of an old one. A noun alone shows its help, as the tool does without any
 * argument; but `usage`, `audit` and `requests` were commands, and still are for as long as the old names work.
 */
export const byTodaysNames = (program: Command, args: readonly string[]): Named => {
  const [first, second] = placesOfWords(args);
  const [noun = '', verb = ''] = [first, second].map((at) => (at === undefined ? '' : args[at]));
  const wantsHelp = args.some((arg) => ['-h', '--help', '--version'].includes(arg));
  const old = oldNames[`${noun} ${verb}`] === undefined ? noun : `${noun} ${verb}`;
  const today = oldNames[old];
  const isNoun = program.commands.some((command) => command.name() === noun && command.commands.length > 0);
  if (today === undefined || first === undefined || (isNoun && old === noun && (verb !== '' || wantsHelp)))
    return { args: !wantsHelp && verb === '' && (noun === '' || isNoun) ? [...args, '--help'] : args, said: null };
  const last = old === noun || second === undefined ? first : second;
  const between = args.slice(first + 1, last);
  return {
    args: [...args.slice(0, first), ...today.split(' '), ...between, ...args.slice(last + 1)],
    said: `"portico ${old}" is "portico ${today}" now; the old name goes with the next release`,
  };
};

/** Where the first two words of a command are, if it has as many: options of the whole tool may stand between. */
const placesOfWords = (args: readonly string[]): readonly number[] => {
  const places: number[] = [];
  for (let at = 0; at < args.length && places.length < 2; at++) {
    const arg = args[at] ?? '';
    if (arg === '--server') at += 1;
    else if (!arg.startsWith('-')) places.push(at);
    else if (!['--json', '--insecure'].includes(arg) && !arg.startsWith('--server=')) break;
  }
  return places;
};
