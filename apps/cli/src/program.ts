import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { localAdmin, readConfig, startFailure, version, type Environment } from '@portico/composition';
import { isPorticoError } from '@portico/domain';
import { listAdmins, promoteAdmin } from './commands/admin.ts';
import { backUp } from './commands/backup.ts';
import { importDocuments } from './commands/import.ts';
import { discardJobs, listJobs, retryAllJobs, retryJobs } from './commands/jobs.ts';
import { rebuildIndex } from './commands/index-rebuild.ts';
import { checkKey } from './commands/key-check.ts';
import { resetKeys } from './commands/keys-reset.ts';
import { reindex } from './commands/reindex.ts';
import { restore } from './commands/restore.ts';
import { reseal } from './commands/reseal.ts';
import { mintToken } from './commands/token.ts';
import { createTerminal, exitCodes, OperatorError, shownLine, type Terminal } from './terminal.ts';
import { toolLogger, withPortico } from './with-portico.ts';

/** Runs the tool with these arguments (`process.argv`) and variables; returns the exit code. */
export const run = async (argv: readonly string[], environment: Environment): Promise<number> => {
  let exitCode: number = exitCodes.success;
  const program = createProgram(environment, (code) => (exitCode = code));
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    return exitCodeOf(error);
  }
};

const exitCodeOf = (error: unknown): number => {
  // Commander has said itself what is wrong with the command line; asking for help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  const isExpected = error instanceof OperatorError || isPorticoError(error);
  const said = isExpected ? shownLine(error.message) : startFailure(error).said.split('\n').map(shownLine).join('\n');
  process.stderr.write(`portico: ${said}\n`);
  return error instanceof OperatorError ? error.exitCode : exitCodes.failure;
};

/** What the commands are made with. */
interface Tool {
  readonly program: Command;
  readonly environment: Environment;
  readonly terminal: () => Terminal;
  /** What a command ends with that came to its end. */
  readonly endWith: (code: number) => void;
}

const createProgram = (environment: Environment, endWith: (code: number) => void): Command => {
  const program = new Command('portico')
    .description(
      'Portico, for its operator: works on the stores that the environment names (DATA_DIR, DATABASE_URL, …), beside a running service too.',
    )
    .version(version, '--version', 'print the version')
    .option('--json', 'print the result as JSON, in whichever place it stands')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError('(portico --help tells more)')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure (for import: a document was refused; for jobs: one of them could not be taken), 2 wrong usage.',
    );
  const terminal = () => createTerminal(program.opts<{ json?: true }>().json ?? false);
  const tool: Tool = { program, environment, terminal, endWith };
  for (const add of [addToken, addAdmin, addImport, addIndexes, addJobs, addBackup, addKeys, addKeyCheck]) add(tool);
  return program;
};

const addToken = ({ program, environment, terminal }: Tool): void => {
  const token = program
    .command('token')
    .description('mint an identity token of the local issuer and print it alone on standard output')
    .option('--uid <uid>', 'the user id (`sub`) that the token is for')
    .option('--email <email>', 'the e-mail that it claims')
    .addOption(
      new Option('--admin', 'a token of the local admin, in place of --uid and --email').conflicts(['uid', 'email']),
    )
    .option('--ttl <seconds>', 'how long it is good', wholeNumber(1, 86_400), 3_600)
    .action(async ({ uid, email, admin, ttl }: TokenOptions) => {
      if (!uid && !admin) token.error('error: say for whom: --uid UID [--email EMAIL], or --admin');
      const user = uid ? { uid, email } : localAdmin;
      await mintToken(readConfig(environment), terminal(), user, ttl);
    });
};

const addAdmin = ({ program, environment, terminal }: Tool): void => {
  const admin = program.command('admin').description('see and make admins');
  admin
    .command('list')
    .description('list the admins')
    .action(() => withPortico(environment, (portico) => listAdmins(portico, terminal())));
  admin
    .command('promote')
    .argument('<email>', 'the e-mail of a registered profile')
    .description('make a registered profile an admin; a pending one is approved by it')
    .action((email: string) => withPortico(environment, (portico) => promoteAdmin(portico, terminal(), email)));
};

const addImport = ({ program, environment, terminal, endWith }: Tool): void => {
  program
    .command('import')
    .argument('<path...>', 'files, folders (searched for .json, .yaml and .yml) or globs')
    .description('import OpenAPI documents as collections; what was imported from the same place before is updated')
    .option('--as <email>', 'the admin who is recorded as their creator (default: the first admin)')
    .option('--strict', 'refuse documents that depart from the official schema')
    .option('--explain', 'show where each document departs from the official schema, the first 20 of each')
    .option('--verbose', 'name the collections that were as they are before, too')
    .option(
      '--base <folder>',
      'remember places relative to this folder, so that a copy elsewhere updates the same collections',
    )
    .action((paths: string[], options: Parameters<typeof importDocuments>[3]) =>
      withPortico(environment, async (portico) => {
        const { refused } = await importDocuments(portico, terminal(), paths, options);
        if (refused.length > 0) endWith(exitCodes.failure);
      }),
    );
};

const addIndexes = ({ program, environment, terminal }: Tool): void => {
  program
    .command('reindex')
    .description('embed every collection anew, and wait until that is done')
    .action(() => withPortico(environment, (portico) => reindex(portico, terminal())));
  program
    .command('index')
    .description('look after a vector index that is kept in Qdrant')
    .command('rebuild')
    .description('make the index anew from the vectors of the database; the old one answers until it is done')
    .action(() => withPortico(environment, (portico) => rebuildIndex(portico, terminal())));
};

const addBackup = ({ program, environment, terminal }: Tool): void => {
  program
    .command('backup')
    .argument('<file>', 'the archive to write, for its owner alone; "-" is standard output')
    .description('write all that cannot be made anew into one archive, beside a running service')
    .option('--force', 'replace a file that is there')
    .action((file: string, options: { force?: boolean }) => backUp(readConfig(environment), terminal(), file, options));
  program
    .command('restore')
    .argument('<file>', 'an archive that "backup" has written')
    .description('put a backup in the place of the data, while no service runs')
    .option('--force', 'replace what is there, which is kept under another name')
    .action((file: string, options: { force?: boolean }) =>
      restore(readConfig(environment), terminal(), file, options),
    );
};

const addKeys = ({ program, environment, terminal, endWith }: Tool): void => {
  const keys = program.command('keys').description('look after the secrets key');
  keys
    .command('reseal')
    .description(
      'seal by the present SECRETS_KEY whatever an earlier one has sealed, so that SECRETS_KEY_PREVIOUS is needed no more',
    )
    .action(() =>
      withPortico(environment, async (portico) => {
        if (!(await reseal(portico, terminal()))) endWith(exitCodes.failure);
      }),
    );
  keys
    .command('reset')
    .description(
      'where the key that sealed the data is lost for good: list what is lost with it, ask, and go on without',
    )
    .option('--yes', 'do it without asking')
    .action((options: { yes?: boolean }) => {
      const config = readConfig(environment);
      return resetKeys(config, toolLogger(environment, config), terminal(), options);
    });
};

const addKeyCheck = ({ program, terminal, endWith }: Tool): void => {
  program
    .command('key')
    .description('look at API keys')
    .command('check')
    .argument('[secret]', 'the secret (X-API-Key); read from standard input where it is absent or "-"')
    .description(
      'tell whether a text is a well-formed API secret, by its shape and checksum alone; it is not printed, sent or looked up',
    )
    .action(async (secret: string | undefined) => {
      if (!(await checkKey(terminal(), secret))) endWith(exitCodes.failure);
    });
};

const addJobs = ({ program, environment, terminal, endWith }: Tool): void => {
  const jobs = program.command('jobs').description('see the jobs that were given up, and let them begin anew');
  jobs
    .command('list')
    .description('list the jobs that were given up, newest first, and count those that wait')
    .option('--limit <count>', 'how many to list at most', wholeNumber(1, 10_000), 100)
    .action(({ limit }: { limit: number }) =>
      withPortico(environment, (portico) => listJobs(portico, terminal(), limit)),
    );
  const retry = jobs
    .command('retry')
    .argument('[id...]', 'the ids of jobs that were given up, as "jobs list" shows them')
    .option('--all', 'every job that can be done again')
    .description('let jobs that were given up begin anew; a running service or worker takes them within a second')
    .action((ids: string[], { all = false }: { all?: boolean }) => {
      if (all === ids.length > 0) retry.error('error: say which: ids, or --all in their place');
      return withPortico(environment, async (portico) => {
        if (all) await retryAllJobs(portico, terminal());
        else if (!(await retryJobs(portico, terminal(), ids))) endWith(exitCodes.failure);
      });
    });
  jobs
    .command('discard')
    .argument('<id...>', 'the ids of jobs that were given up')
    .description('forget jobs that were given up')
    .action((ids: string[]) =>
      withPortico(environment, async (portico) => {
        if (!(await discardJobs(portico, terminal(), ids))) endWith(exitCodes.failure);
      }),
    );
};

interface TokenOptions {
  readonly uid?: string;
  readonly email?: string;
  readonly admin?: true;
  readonly ttl: number;
}

/** Reads the number of an option. */
const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
