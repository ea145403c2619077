import { mkdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { replaceFile, type Environment } from '@portico/composition';
import { contentOf } from '../files.ts';
import { OperatorError } from '../terminal.ts';

/** Who is signed in at one server: what `portico login` keeps, as a file that only its owner can read. */
export interface SignIn {
  readonly server: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly id_token: string;
  /** Absent if the issuer gave none: then a new sign-in is needed after an hour or so. */
  readonly refresh_token?: string;
}

/** Returns what is kept for a server; null if nobody is signed in there. Refuses a file that others can read. */
export const readSignIn = async (environment: Environment, server: string): Promise<SignIn | null> => {
  const path = pathOf(environment, server);
  const content = await contentOf(path);
  if (content === null) return null;
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new OperatorError(`${path} can be read by others: change that (chmod 600), and sign in again to be safe`);
  try {
    const kept = JSON.parse(content.toString('utf8')) as Partial<SignIn>;
    if (kept.server === server && kept.issuer && kept.client_id && kept.id_token) return kept as SignIn;
  } catch {
    // It is not what this tool wrote.
  }
  throw new OperatorError(`${path} holds no sign-in: run "portico login" again`);
};

/** Keeps a sign-in in place of an earlier one at the same server; a crash leaves the one or the other. */
export const keepSignIn = async (environment: Environment, signIn: SignIn): Promise<void> => {
  const path = pathOf(environment, signIn.server);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Two commands may renew a sign-in at once.
  await replaceFile(path, `${JSON.stringify(signIn, null, 2)}\n`, `${path}.${process.pid}`);
};

export const forgetSignIn = (environment: Environment, server: string): Promise<void> =>
  rm(pathOf(environment, server), { force: true });

/** By the XDG Base Directory Specification: relative paths in the variable are ignored. */
const pathOf = ({ XDG_CONFIG_HOME: folder, HOME }: Environment, server: string): string => {
  const configuration = folder?.startsWith('/') ? folder : join(HOME ?? homedir(), '.config');
  return join(configuration, 'portico', 'sign-ins', `${encodeURIComponent(server)}.json`);
};
