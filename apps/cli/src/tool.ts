import type { Command } from 'commander';
import type { Environment } from '@portico/composition';
import type { Io } from './io.ts';
import type { Api } from './server/api.ts';
import { credentialFor, type ServerCredential } from './server/credential.ts';
import { createHttpApi } from './server/over-http.ts';
import { parseServerAddress } from './server/server-address.ts';
import { exitCodes, OperatorError, type Terminal } from './terminal.ts';

/** The dependencies of the commands. */
export interface Tool {
  readonly program: Command;
  readonly environment: Environment;
  readonly io: Io;
  readonly getTerminal: () => Terminal;
  /** Sets the exit code of a command that completed. */
  readonly setExitCode: (code: number) => void;
  /** The commands that accept a server; all others work only on the stores. */
  readonly overHttp: Set<Command>;
}

/** The server that the operator specified, and its API. */
export interface Connection {
  /** The server's address, without a trailing slash. */
  readonly address: string;
  readonly api: Api;
  readonly getCredential: () => Promise<ServerCredential>;
}

/** A command's action over HTTP and, if it has one, its action on the stores that the environment configures. */
interface CommandActions<Args extends readonly unknown[]> {
  readonly runOnStores?: (...args: Args) => Promise<void>;
  readonly runOnServer: (connection: Connection, ...args: Args) => Promise<void>;
}

interface ServerOptions {
  readonly server?: string;
  readonly insecure?: true;
}

/** Sets the action of a command that works over HTTP: it uses the server if one is specified, otherwise the stores. */
export const setServerAction = <Args extends readonly unknown[]>(
  tool: Tool,
  command: Command,
  { runOnStores, runOnServer }: CommandActions<Args>,
): void => {
  tool.overHttp.add(command);
  command.action((...args: readonly unknown[]): Promise<void> => {
    // Commander passes the command last.
    const commandArgs = args.slice(0, -1) as unknown as Args;
    const address = findServerAddress(tool);
    if (address !== null) return runOnServer(createConnection(tool, address), ...commandArgs);
    if (runOnStores) return runOnStores(...commandArgs);
    throw new OperatorError(
      `"portico ${nameOf(command)}" needs a server: pass --server URL, or set PORTICO_SERVER`,
      exitCodes.usage,
    );
  });
};

/**
 * Checks the options of a command that works only on the stores. Throws if `--server` is given, because ignoring it
 * would be surprising. Ignores PORTICO_SERVER, which may be set for other commands, and prints a note.
 */
export const rejectServerOption = (tool: Tool, command: Command): void => {
  if (tool.overHttp.has(command)) return;
  const { program, environment, getTerminal } = tool;
  const { server } = program.opts<ServerOptions>();
  const limitation = `"portico ${nameOf(command)}" works only on the stores`;
  if (server)
    throw new OperatorError(`${limitation}: run it where their variables are set, without --server`, exitCodes.usage);
  if (server === undefined && environment['PORTICO_SERVER'])
    getTerminal().printNote(`portico: ${limitation} (DATA_DIR, DATABASE_URL): PORTICO_SERVER is not used`);
};

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Returns the address of the server that the operator specified, or null. */
const findServerAddress = ({ program, environment }: Tool): string | null => {
  const { server = environment['PORTICO_SERVER'], insecure = false } = program.opts<ServerOptions>();
  return server ? parseServerAddress(server, insecure) : null;
};

const createConnection = ({ environment, getTerminal }: Tool, address: string): Connection => {
  let pending: Promise<ServerCredential> | null = null;
  const getCredential = () => (pending ??= credentialFor(environment, address));
  const printNote = (text: string): void => getTerminal().printNote(`portico: ${text}`);
  return { address, api: createHttpApi({ address, getCredential, printNote }), getCredential };
};
