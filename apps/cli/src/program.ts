import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { localAdmin, readConfig, startFailure, version, type Environment } from '@portico/composition';
import { isPorticoError } from '@portico/domain';
import { backUp } from './commands/backup.ts';
import { examine } from './commands/doctor.ts';
import type { ImportSummary } from './commands/import-report.ts';
import { importOnStores, importOverHttp, type ImportOptions } from './commands/import.ts';
import type { LoginOptions } from './commands/login.ts';
import { discardJobs, listJobs, retryAllJobs, retryJobs } from './commands/jobs.ts';
import { rebuildIndex } from './commands/index-rebuild.ts';
import { migrate } from './commands/migrate.ts';
import { bringTablesUpToDate } from './commands/migrate-tables.ts';
import { assignNewIdentity } from './commands/new-identity.ts';
import { reindex } from './commands/reindex.ts';
import { restore } from './commands/restore.ts';
import { mintToken } from './commands/token.ts';
import { whoAmI } from './commands/whoami.ts';
import type { Io } from './io.ts';
import { addAccess } from './program/access.ts';
import { addAccounts } from './program/accounts.ts';
import { addConsole } from './program/console.ts';
import { addKeys } from './program/keys.ts';
import { addLimits } from './program/limits.ts';
import { withCurrentNames } from './program/old-names.ts';
import { groupsOption, wholeNumber } from './program/options.ts';
import { addPeople } from './program/people.ts';
import { addReports } from './program/reports.ts';
import { createTerminal, exitCodes, OperatorError, safeLine } from './terminal.ts';
import { actAt, rejectServerOption, type Tool } from './tool.ts';
import { toolLogger, withPortico } from './with-portico.ts';

/** Runs the tool with these arguments (`process.argv`), variables and streams. Returns the exit code. */
export const run = async (argv: readonly string[], environment: Environment, io: Io): Promise<number> => {
  let exitCode: number = exitCodes.success;
  const { program } = createTool(environment, io, (code) => (exitCode = code));
  const { args, notice } = withCurrentNames(program, argv.slice(2));
  if (notice !== null) io.stderr.write(`portico: ${notice}\n`);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error, io);
  }
};

const exitCodeOf = (error: unknown, { stderr }: Io): number => {
  // Commander has already printed the usage error; a request for help is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  const isExpected = error instanceof OperatorError || isPorticoError(error);
  const message = isExpected
    ? safeLine(error.message)
    : startFailure(error).message.split('\n').map(safeLine).join('\n');
  stderr.write(`portico: ${message}\n`);
  return error instanceof OperatorError ? error.exitCode : exitCodes.failure;
};

/** Creates the commands. `run` uses them to parse a command line, and the reference documentation lists them. */
export const createTool = (environment: Environment, io: Io, setExitCode: (code: number) => void): Tool => {
  const program = new Command('portico')
    .description(
      "Portico's tool for operators. It works on the stores named by the environment (DATA_DIR, DATABASE_URL, …), even while a service runs; with --server some commands work over HTTP instead.",
    )
    .version(version, '--version', 'print the version')
    .option('--json', 'print the result as JSON; allowed anywhere')
    .option('--server <url>', 'work over HTTP on this Portico (default: PORTICO_SERVER); allowed anywhere')
    .option('--insecure', 'allow sending the credential over plain http')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput(outputTo(io))
    .showHelpAfterError('(see portico --help)')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure (import: a document was refused; with several people or collections: one was refused; jobs: one could not be retried or discarded; doctor: something is wrong), 2 wrong usage.',
    );
  const terminal = () => createTerminal(program.opts<{ json?: true }>().json ?? false, io);
  const tool: Tool = { program, environment, io, terminal, setExitCode, overHttp: new Set() };
  program.hook('preAction', (_program, command) => rejectServerOption(tool, command));
  for (const add of [
    addToken,
    addConsole,
    addPeople,
    addAccess,
    addLimits,
    addReports,
    addAccounts,
    addImport,
    addSignIn,
    addIndexes,
    addJobs,
    addBackup,
    addMigrateTables,
    addMigrate,
    addNewIdentity,
    addKeys,
    addDoctor,
  ])
    add(tool);
  return tool;
};

/** Returns the outputs for Commander's help and usage errors. */
const outputTo = ({ stdout, stderr }: Io): OutputConfiguration => ({
  writeOut: (text) => void stdout.write(text),
  writeErr: (text) => void stderr.write(text),
  getOutHelpWidth: () => stdout.columns ?? 80,
  getErrHelpWidth: () => stderr.columns ?? 80,
});

const addToken = ({ program, environment, terminal }: Tool): void => {
  const token = program
    .command('token')
    .description('mint an identity token of the local issuer and print nothing else on standard output')
    .option('--uid <uid>', 'the user id (`sub`) in the token')
    .option('--email <email>', 'the e-mail in the token')
    .addOption(
      new Option('--admin', 'a token for the local admin, instead of --uid and --email').conflicts(['uid', 'email']),
    )
    .addOption(groupsOption())
    .option('--ttl <seconds>', 'how long the token is valid', wholeNumber(1, 86_400), 3_600)
    .action(async ({ uid, email, admin, groups, ttl }: TokenOptions) => {
      if (!uid && !admin) token.error('error: pass --uid UID [--email EMAIL], or --admin');
      const user = uid ? { uid, email } : localAdmin;
      await mintToken(readConfig(environment), terminal(), { ...user, groups }, ttl);
    });
};

const addImport = (tool: Tool): void => {
  const { program, environment, terminal, setExitCode } = tool;
  const command = program
    .command('import')
    .argument('<path...>', 'files, folders (searched for .json, .yaml and .yml) or globs')
    .description('import OpenAPI documents as collections; update those that were imported from the same path before')
    .option('--as <email>', 'the admin to record as their creator (default: the first admin; not with --server)')
    .option('--strict', 'refuse documents that depart from the official schema')
    .option('--explain', 'show where each document departs from the official schema (the first 20 places)')
    .option('--verbose', 'list unchanged collections too')
    .option('--dry-run', 'report creations, updates, refusals and changes without making them')
    .option(
      '--base <folder>',
      'remember paths relative to this folder, so that a copy elsewhere updates the same collections',
    )
    .option(
      '--source <name>',
      'remember paths together with this name, such as that of their repository (default with --server: GITHUB_REPOSITORY or CI_PROJECT_PATH)',
    )
    .addOption(
      new Option('--name <name>', 'publish one document as the collection of exactly this name').conflicts([
        'base',
        'source',
      ]),
    );
  const end = ({ refused }: ImportSummary): void => {
    if (refused.length > 0) setExitCode(exitCodes.failure);
  };
  actAt(tool, command, {
    stores: (paths: string[], options: ImportOptions) =>
      withPortico(tool, async (portico, terminal) => end(await importOnStores(portico, terminal, paths, options))),
    server: async ({ api }, paths: string[], options: ImportOptions) =>
      end(await importOverHttp(api, environment, terminal(), paths, options)),
  });
};

const addSignIn = (tool: Tool): void => {
  const { program, environment, terminal } = tool;
  const logInCommand = program
    .command('login')
    .description('sign in for a server at its identity provider, with a browser here or on another device')
    .option('--issuer <url>', 'where people sign in (default: PORTICO_ISSUER)')
    .option('--client-id <id>', "the issuer's public client that the server accepts (default: PORTICO_CLIENT_ID)");
  actAt(tool, logInCommand, {
    server: async ({ address }, options: LoginOptions) => {
      const { logIn } = await import('./commands/login.ts');
      await logIn(environment, terminal(), address, options);
    },
  });
  const logOutCommand = program
    .command('logout')
    .description('forget the sign-in for a server, and revoke it at the identity provider');
  actAt(tool, logOutCommand, {
    server: async ({ address }) => {
      const { logOut } = await import('./commands/login.ts');
      await logOut(environment, terminal(), address);
    },
  });
  actAt(tool, program.command('whoami').description('show who you are at a server, and until when'), {
    server: (connection) => whoAmI(connection, terminal()),
  });
};

const addIndexes = (tool: Tool): void => {
  const { program } = tool;
  program
    .command('reindex')
    .description('embed every collection and its operations again, and wait until all are searchable')
    .action(() => withPortico(tool, reindex));
  program
    .command('index')
    .description('maintain the vector index in Qdrant')
    .command('rebuild')
    .description('rebuild the index from the vectors in the database; the old one is used until it is done')
    .action(() => withPortico(tool, rebuildIndex));
};

const addBackup = ({ program, environment, terminal }: Tool): void => {
  program
    .command('backup')
    .argument('<file>', 'the archive to write, readable by its owner only; "-" is standard output')
    .description('write everything that cannot be recreated to one archive, even while a service runs')
    .option('--force', 'replace an existing file')
    .action((file: string, options: { force?: boolean }) => backUp(readConfig(environment), terminal(), file, options));
  program
    .command('restore')
    .argument('<file>', 'an archive written by "backup"')
    .description('replace the data with a backup, while no service runs')
    .option('--force', 'replace existing files and keep them under another name')
    .action((file: string, options: { force?: boolean }) =>
      restore(readConfig(environment), terminal(), file, options),
    );
};

const addMigrateTables = (tool: Tool): void => {
  const { program, environment, terminal } = tool;
  program
    .command('migrate-tables')
    .description(
      'bring the tables of an earlier version up to date, as a starting service does; back up first: this cannot be undone',
    )
    .action(async () => {
      const config = readConfig(environment);
      await bringTablesUpToDate(config, toolLogger(tool, config, 'info'), terminal());
    });
};

const addNewIdentity = (tool: Tool): void => {
  const { program, environment, terminal } = tool;
  program
    .command('new-identity')
    .description(
      'give a copy of a database its own id, while no service runs on it, so that it and the original can share Redis and Qdrant',
    )
    .action(async () => {
      const config = readConfig(environment);
      await assignNewIdentity(config, toolLogger(tool, config), terminal());
    });
};

const addMigrate = (tool: Tool): void => {
  const { program, environment, terminal } = tool;
  const command = program
    .command('migrate')
    .description(
      'move everything from the configured database to another, empty one, while no service runs: SQLite to PostgreSQL, or back; the configured database stays as it is',
    )
    .addOption(new Option('--to <url>', 'the new database, written as DATABASE_URL').conflicts('toFile'))
    .option(
      '--to-file <file>',
      'a file with its address, to keep passwords off the command line; "-" is standard input',
    )
    .addHelpText(
      'after',
      `
Stop the service, its workers and every other command first. The new database is created empty: "createdb NAME" on
PostgreSQL; the file of SQLite must not exist. Every row is compared before the new database can be used. Until then, and
after a crash, each process refuses it, and another "migrate" refills it. Then set DATABASE_URL and start the service.

  portico migrate --to postgresql://USER:PASSWORD@HOST:5432/NAME
  portico migrate --to-file /run/secrets/new-database
  portico migrate --to sqlite:/var/lib/portico/portico.sqlite`,
    )
    .action(async ({ to, toFile }: { to?: string; toFile?: string }) => {
      if (to === undefined && toFile === undefined) command.error('error: pass --to URL, or --to-file FILE');
      const config = readConfig(environment);
      await migrate(config, toolLogger(tool, config), terminal(), { url: to, file: toFile });
    });
};

const addDoctor = ({ program, environment, terminal, setExitCode }: Tool): void => {
  program
    .command('doctor')
    .description(
      'check configuration, machine and servers, and say how to fix each fault; changes nothing, and works with an invalid configuration too',
    )
    .action(async () => {
      if (!(await examine(environment, terminal()))) setExitCode(exitCodes.failure);
    });
};

const addJobs = (tool: Tool): void => {
  const { program, setExitCode } = tool;
  const jobs = program.command('jobs').description('list, retry or discard jobs that were given up');
  jobs
    .command('list')
    .description('list the jobs that were given up, newest first, and count the waiting ones')
    .option('--limit <count>', 'list at most this many', wholeNumber(1, 10_000), 100)
    .action(({ limit }: { limit: number }) =>
      withPortico(tool, (portico, terminal) => listJobs(portico, terminal, limit)),
    );
  const retry = jobs
    .command('retry')
    .argument('[id...]', 'the ids of jobs that were given up, as "jobs list" shows them')
    .option('--all', 'every job that can be retried')
    .description('retry jobs that were given up; a running service or worker runs them within a second')
    .action((ids: string[], { all = false }: { all?: boolean }) => {
      if (all === ids.length > 0) retry.error('error: pass the ids of jobs, or --all instead');
      return withPortico(tool, async (portico, terminal) => {
        if (all) await retryAllJobs(portico, terminal);
        else if (!(await retryJobs(portico, terminal, ids))) setExitCode(exitCodes.failure);
      });
    });
  jobs
    .command('discard')
    .argument('<id...>', 'the ids of jobs that were given up')
    .description('discard jobs that were given up')
    .action((ids: string[]) =>
      withPortico(tool, async (portico, terminal) => {
        if (!(await discardJobs(portico, terminal, ids))) setExitCode(exitCodes.failure);
      }),
    );
};

interface TokenOptions {
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly email?: string;
  readonly admin?: true;
  readonly ttl: number;
}
