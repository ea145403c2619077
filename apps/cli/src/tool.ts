import type { Command } from 'commander';
import type { Environment } from '@portico/composition';
import type { Io } from './io.ts';
import type { Api } from './server/api.ts';
import { credentialFor, type ServerCredential } from './server/credential.ts';
import { apiOverHttp } from './server/over-http.ts';
import { serverAddress } from './server/server-address.ts';
import { exitCodes, OperatorError, type Terminal } from './terminal.ts';

/** The dependencies of the commands. */
export interface Tool {
  readonly program: Command;
  readonly environment: Environment;
  readonly io: Io;
  readonly terminal: () => Terminal;
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
  readonly credential: () => Promise<ServerCredential>;
}

/** A command's action over HTTP and, if it has one, its action on the stores that the environment configures. */
interface CommandActions<Args extends readonly unknown[]> {
  readonly stores?: (...args: Args) => Promise<void>;
  readonly server: (connection: Connection, ...args: Args) => Promise<void>;
}

interface ServerOptions {
  readonly server?: string;
  readonly insecure?: true;
}

/** Sets the action of a command that works over HTTP: it uses the server if one is specified, otherwise the stores. */
export const actAt = <Args extends readonly unknown[]>(
  tool: Tool,
  command: Command,
  { stores, server }: CommandActions<Args>,
): void => {
  tool.overHttp.add(command);
  command.action((...args: readonly unknown[]): Promise<void> => {
    // Commander passes the command last.
    const own = args.slice(0, -1) as unknown as Args;
    const address = addressIn(tool);
    if (address !== null) return server(connectionTo(tool, address), ...own);
    if (stores) return stores(...own);
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
  const { program, environment, terminal } = tool;
  const { server } = program.opts<ServerOptions>();
  const only = `"portico ${nameOf(command)}" works on the stores alone`;
  if (server)
    throw new OperatorError(`${only}: run it where their variables are set, without --server`, exitCodes.usage);
  if (server === undefined && environment['PORTICO_SERVER'])
    terminal().note(`portico: ${only} (DATA_DIR, DATABASE_URL): PORTICO_SERVER is not used`);
};

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Returns the address of the server that the operator specified, or null. */
const addressIn = ({ program, environment }: Tool): string | null => {
  const { server = environment['PORTICO_SERVER'], insecure = false } = program.opts<ServerOptions>();
  return server ? serverAddress(server, insecure) : null;
};

const connectionTo = ({ environment, terminal }: Tool, address: string): Connection => {
  let pending: Promise<ServerCredential> | null = null;
  const credential = () => (pending ??= credentialFor(environment, address));
  const note = (text: string): void => terminal().note(`portico: ${text}`);
  return { address, api: apiOverHttp({ address, credential, note }), credential };
};
