import { Command, CommanderError } from 'commander';
import {
  compose,
  ConfigurationError,
  createLogger,
  readConfig,
  type Config,
  type Environment,
  type Portico,
} from '@portico/composition';
import { isPorticoError } from '@portico/domain';
import { listAdmins, promoteAdmin } from './commands/admin.ts';
import { importDocuments } from './commands/import.ts';
import { checkKey } from './commands/key-check.ts';
import { reindex } from './commands/reindex.ts';
import { mintToken } from './commands/token.ts';
import { createTerminal, exitCodes, OperatorError } from './terminal.ts';

/** Runs the tool with these arguments (`process.argv`) and variables; answers the exit code. */
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
  if (error instanceof OperatorError || error instanceof ConfigurationError || isPorticoError(error)) {
    process.stderr.write(`portico: ${error.message}\n`);
  } else {
    process.stderr.write(
      `portico: unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
  return exitCodes.failure;
};

const createProgram = (environment: Environment, endWith: (code: number) => void): Command => {
  const program = new Command('portico')
    .description(
      'Portico, for its operator: works on the stores that the environment names (DATA_DIR, DATABASE_URL, …), beside a running service too.',
    )
    .option('--json', 'print the result as JSON', false)
    .exitOverride()
    .showHelpAfterError('(portico --help tells more)')
    .addHelpText('after', '\nExit codes: 0 success, 1 failure (for import: a document was refused), 2 wrong usage.');
  const terminal = () => createTerminal(program.opts<{ json: boolean }>().json);

  program
    .command('token')
    .description('mint an identity token of the local issuer and print it alone on standard output')
    .option('--uid <uid>', 'the user id (`sub`) that the token is for')
    .option('--email <email>', 'the e-mail that it claims')
    .option('--admin', 'a token of the local admin, in place of --uid and --email')
    .option('--ttl <seconds>', 'how long it is good', '3600')
    .action(async (options: Parameters<typeof mintToken>[2]) => {
      await mintToken(readConfig(environment), terminal(), options);
    });

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

  program
    .command('import')
    .argument('<path...>', 'files, folders (searched for .json, .yaml and .yml) or globs')
    .description('import OpenAPI documents as collections; what was imported from the same place before is updated')
    .option('--as <email>', 'the admin who is recorded as their creator (default: the first admin)')
    .option('--strict', 'refuse documents that depart from the official schema', false)
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

  program
    .command('reindex')
    .description('embed every collection anew, and wait until that is done')
    .action(() => withPortico(environment, (portico) => reindex(portico, terminal())));

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

  return program;
};

const withPortico = async (environment: Environment, work: (portico: Portico) => Promise<void>): Promise<void> => {
  // Beside a running service the tool works no jobs but its own.
  const config: Config = readConfig({ ...environment });
  const logger = createLogger(environment.LOG_LEVEL ? config.logLevel : 'warn', 'portico', process.stderr);
  const portico = await compose(config, logger);
  try {
    await work(portico);
  } finally {
    await portico.close();
  }
};
