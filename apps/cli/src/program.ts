import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { localAdmin, readConfig, toStartFailure, version, type Environment } from '@portico/composition';
import { isPorticoError } from '@portico/domain';
import { backUp } from './commands/backup.ts';
import { runDoctor } from './commands/doctor.ts';
import type { ImportSummary } from './commands/import-report.ts';
import { importIntoStores, importOverHttp, type ImportOptions } from './commands/import.ts';
import type { LoginOptions } from './commands/login.ts';
import { discardJobs, listJobs, retryAllJobs, retryJobs } from './commands/jobs.ts';
import { rebuildIndex } from './commands/index-rebuild.ts';
import { migrate } from './commands/migrate.ts';
import { bringTablesUpToDate } from './commands/migrate-tables.ts';
import { assignNewIdentity } from './commands/new-identity.ts';
import { reindex } from './commands/reindex.ts';
import { restore } from './commands/restore.ts';
import { mintToken } from './commands/token.ts';
import { showIdentity } from './commands/whoami.ts';
import type { Io } from './io.ts';
import { addAccess } from './program/access.ts';
import { addCalls } from './program/calls.ts';
import { addAccounts } from './program/accounts.ts';
import { addWebhooks } from './program/webhooks.ts';
import { addConsole } from './program/console.ts';
import { addDiff, createFailOnOption } from './program/diff.ts';
import { addKeys } from './program/keys.ts';
import { addLimits } from './program/limits.ts';
import { withCurrentNames } from './program/old-names.ts';
import { createGroupsOption, createIntegerParser } from './program/options.ts';
import { addPeople } from './program/people.ts';
import { addReports } from './program/reports.ts';
import { createTerminal, exitCodes, OperatorError, toSafeLine } from './terminal.ts';
import { setServerAction, rejectServerOption, type Tool } from './tool.ts';
import { createToolLogger, withPortico } from './with-portico.ts';

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
    ? toSafeLine(error.message)
    : toStartFailure(error).message.split('\n').map(toSafeLine).join('\n');
  stderr.write(`portico: ${message}\n`);
  return error instanceof OperatorError ? error.exitCode : exitCodes.failure;
};

/** Creates the commands. `run` uses them to parse a command line, and the reference documentation lists them. */
export const createTool = (environment: Environment, io: Io, setExitCode: (code: number) => void): Tool => {
  const program = new Command('portico')
    .description(
      "Portico's command-line tool for operators. It works on the stores configured in the environment (DATA_DIR, DATABASE_URL, …), even while the service is running; with --server, some commands work over HTTP instead.",
    )
    .version(version, '--version', 'print the version')
    .option('--json', 'print the result as JSON; allowed anywhere')
    .option('--server <url>', 'use this Portico server over HTTP (default: PORTICO_SERVER); allowed anywhere')
    .option('--insecure', 'allow sending the credential over plain http')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput(createOutputConfiguration(io))
    .showHelpAfterError('(see portico --help)')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure (import: a document was rejected; import and diff: there are changes of the level --fail-on; with several people or collections: one was rejected; jobs: one could not be retried or discarded; doctor: something is wrong), 2 incorrect usage.',
    );
  const getTerminal = () => createTerminal(program.opts<{ json?: true }>().json ?? false, io);
  const tool: Tool = { program, environment, io, getTerminal, setExitCode, overHttp: new Set() };
  program.hook('preAction', (_program, command) => rejectServerOption(tool, command));
  for (const add of [
    addToken,
    addConsole,
    addPeople,
    addAccess,
    addCalls,
    addLimits,
    addReports,
    addAccounts,
    addWebhooks,
    addImport,
    addDiff,
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
const createOutputConfiguration = ({ stdout, stderr }: Io): OutputConfiguration => ({
  writeOut: (text) => void stdout.write(text),
  writeErr: (text) => void stderr.write(text),
  getOutHelpWidth: () => stdout.columns ?? 80,
  getErrHelpWidth: () => stderr.columns ?? 80,
});

const addToken = ({ program, environment, getTerminal }: Tool): void => {
  const token = program
    .command('token')
    .description('mint an identity token of the local issuer and print only the token to standard output')
    .option('--uid <uid>', 'the user id (`sub`) in the token')
    .option('--email <email>', 'the email address in the token')
    .addOption(
      new Option('--admin', 'a token for the local admin, instead of --uid and --email').conflicts(['uid', 'email']),
    )
    .addOption(createGroupsOption())
    .option('--ttl <seconds>', 'how long the token is valid', createIntegerParser(1, 86_400), 3_600)
    .action(async ({ uid, email, admin, groups, ttl }: TokenOptions) => {
      if (!uid && !admin) token.error('error: pass --uid UID [--email EMAIL], or --admin');
      const user = uid ? { uid, email } : localAdmin;
      await mintToken(readConfig(environment), getTerminal(), { ...user, groups }, ttl);
    });
};

const addImport = (tool: Tool): void => {
  const { program, environment, getTerminal, setExitCode } = tool;
  const command = program
    .command('import')
    .argument('<path...>', 'files, folders or globs')
    .description('import OpenAPI documents as collections; update collections that were imported from the same paths')
    .option('--as <email>', 'the admin to record as the creator (default: the first admin; not with --server)')
    .option('--strict', 'reject documents that violate the official schema')
    .option('--explain', 'show where each document violates the official schema (the first 20 places)')
    .option('--verbose', 'list unchanged collections too')
    .option('--dry-run', 'show creations, updates, rejections and changes without making them')
    .addOption(createFailOnOption('import nothing, and exit with 1, if a document has such changes'))
    .option(
      '--base <folder>',
      'remember paths relative to this folder, so that a copy elsewhere updates the same collections',
    )
    .option(
      '--source <name>',
      'remember paths together with this name, such as that of their repository (default with --server: GITHUB_REPOSITORY or CI_PROJECT_PATH)',
    )
    .addOption(
      new Option('--name <name>', 'publish one document as the collection with exactly this name').conflicts([
        'base',
        'source',
      ]),
    );
  const reportRejections = ({ refused }: ImportSummary): void => {
    if (refused.length > 0) setExitCode(exitCodes.failure);
  };
  setServerAction(tool, command, {
    runOnStores: (paths: string[], options: ImportOptions) =>
      withPortico(tool, async (portico, terminal) =>
        reportRejections(await importIntoStores(portico, terminal, paths, options)),
      ),
    runOnServer: async ({ api }, paths: string[], options: ImportOptions) =>
      reportRejections(await importOverHttp(api, environment, getTerminal(), paths, options)),
  });
};

const addSignIn = (tool: Tool): void => {
  const { program, environment, getTerminal } = tool;
  const logInCommand = program
    .command('login')
    .description('sign in to a server through its identity provider, with a browser on this or another device')
    .option('--issuer <url>', 'the issuer to sign in with (default: PORTICO_ISSUER)')
    .option('--client-id <id>', "the issuer's public client that the server accepts (default: PORTICO_CLIENT_ID)");
  setServerAction(tool, logInCommand, {
    runOnServer: async ({ address }, options: LoginOptions) => {
      const { logIn } = await import('./commands/login.ts');
      await logIn(environment, getTerminal(), address, options);
    },
  });
  const logOutCommand = program
    .command('logout')
    .description('remove the sign-in to a server, and revoke it with the identity provider');
  setServerAction(tool, logOutCommand, {
    runOnServer: async ({ address }) => {
      const { logOut } = await import('./commands/login.ts');
      await logOut(environment, getTerminal(), address);
    },
  });
  setServerAction(
    tool,
    program.command('whoami').description('show who you are signed in as, and when the sign-in expires'),
    {
      runOnServer: (connection) => showIdentity(connection, getTerminal()),
    },
  );
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
    .description('rebuild the index from the vectors in the database; searches use the old one until it is complete')
    .action(() => withPortico(tool, rebuildIndex));
};

const addBackup = ({ program, environment, getTerminal }: Tool): void => {
  program
    .command('backup')
    .argument('<file>', 'the archive to write, readable only by its owner; "-" is standard output')
    .description('write everything that cannot be recreated to one archive; the service can keep running')
    .option('--force', 'replace an existing file')
    .action((file: string, options: { force?: boolean }) =>
      backUp(readConfig(environment), getTerminal(), file, options),
    );
  program
    .command('restore')
    .argument('<file>', 'an archive written by "backup"')
    .description('replace the data with a backup; the service must be stopped')
    .option('--force', 'replace existing files, and keep them under different names')
    .action((file: string, options: { force?: boolean }) =>
      restore(readConfig(environment), getTerminal(), file, options),
    );
};

const addMigrateTables = (tool: Tool): void => {
  const { program, environment, getTerminal } = tool;
  program
    .command('migrate-tables')
    .description(
      'migrate the tables of an earlier version, as the service does when it starts; back up first: this cannot be undone',
    )
    .action(async () => {
      const config = readConfig(environment);
      await bringTablesUpToDate(config, createToolLogger(tool, config, 'info'), getTerminal());
    });
};

const addNewIdentity = (tool: Tool): void => {
  const { program, environment, getTerminal } = tool;
  program
    .command('new-identity')
    .description(
      'give a copy of a database a new id, so that it can share Redis and Qdrant with the original; no service may be using the copy',
    )
    .action(async () => {
      const config = readConfig(environment);
      await assignNewIdentity(config, createToolLogger(tool, config), getTerminal());
    });
};

const addMigrate = (tool: Tool): void => {
  const { program, environment, getTerminal } = tool;
  const command = program
    .command('migrate')
    .description(
      'move everything from the configured database to an empty one (SQLite to PostgreSQL, or back) while the service is stopped; the configured database is not changed',
    )
    .addOption(new Option('--to <url>', 'the new database, in the format of DATABASE_URL').conflicts('toFile'))
    .option('--to-file <file>', 'a file with its URL, to keep passwords off the command line; "-" is standard input')
    .addHelpText(
      'after',
      `
Stop the service, its workers and every other command first. The new database is created empty: "createdb NAME" on
PostgreSQL; the SQLite file must not exist. Every row is compared before the new database can be used. Until then, and
after a crash, every process rejects it; run "migrate" again to fill it. Then set DATABASE_URL and start the service.

  portico migrate --to postgresql://USER:PASSWORD@HOST:5432/NAME
  portico migrate --to-file /run/secrets/new-database
  portico migrate --to sqlite:/var/lib/portico/portico.sqlite`,
    )
    .action(async ({ to, toFile }: { to?: string; toFile?: string }) => {
      if (to === undefined && toFile === undefined) command.error('error: pass --to URL, or --to-file FILE');
      const config = readConfig(environment);
      await migrate(config, createToolLogger(tool, config), getTerminal(), { url: to, file: toFile });
    });
};

const addDoctor = ({ program, environment, getTerminal, setExitCode }: Tool): void => {
  program
    .command('doctor')
    .description(
      'check the configuration, the machine and the servers, and suggest a fix for each problem; changes nothing, and also works with an invalid configuration',
    )
    .action(async () => {
      if (!(await runDoctor(environment, getTerminal()))) setExitCode(exitCodes.failure);
    });
};

const addJobs = (tool: Tool): void => {
  const { program, setExitCode } = tool;
  const jobs = program.command('jobs').description('list, retry or discard jobs that were given up');
  jobs
    .command('list')
    .description('list the jobs that were given up, newest first, and the number of waiting jobs')
    .option('--limit <count>', 'list at most this many', createIntegerParser(1, 10_000), 100)
    .action(({ limit }: { limit: number }) =>
      withPortico(tool, (portico, terminal) => listJobs(portico, terminal, limit)),
    );
  const retry = jobs
    .command('retry')
    .argument('[id...]', 'the ids of jobs that were given up, as shown by "jobs list"')
    .option('--all', 'all jobs that can be retried')
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
