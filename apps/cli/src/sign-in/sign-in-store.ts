import { mkdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { replaceFile, type Environment } from '@portico/composition';
import { contentOf } from '../files.ts';
import { OperatorError } from '../terminal.ts';

/** A sign-in to one server. `portico login` stores it in a file that only its owner can read. */
export interface SignIn {
  readonly server: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly id_token: string;
  /** Absent if the issuer returned none; a new sign-in is then needed after about an hour. */
  readonly refresh_token?: string;
}

/** Returns the stored sign-in for a server; null if there is none. Throws if others can read the file. */
export const readSignIn = async (environment: Environment, server: string): Promise<SignIn | null> => {
  const path = pathOf(environment, server);
  const content = await contentOf(path);
  if (content === null) return null;
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new OperatorError(
      `${path} can be read by other users: change that (chmod 600), and sign in again to be safe`,
    );
  try {
    const storedSignIn = JSON.parse(content.toString('utf8')) as Partial<SignIn>;
    if (storedSignIn.server === server && storedSignIn.issuer && storedSignIn.client_id && storedSignIn.id_token)
      return storedSignIn as SignIn;
  } catch {
    // The file was not written by this tool.
  }
  throw new OperatorError(`${path} contains no sign-in: run "portico login" again`);
};

/** Stores a sign-in, replacing an earlier one to the same server. After a crash, the file contains one of the two. */
export const storeSignIn = async (environment: Environment, signIn: SignIn): Promise<void> => {
  const path = pathOf(environment, signIn.server);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Two commands may renew a sign-in at the same time.
  await replaceFile(path, `${JSON.stringify(signIn, null, 2)}\n`, `${path}.${process.pid}`);
};

export const removeSignIn = (environment: Environment, server: string): Promise<void> =>
  rm(pathOf(environment, server), { force: true });

/**
 * Returns the path of a server's sign-in file. A relative path in the variable is ignored, as required by the XDG Base
 * Directory Specification.
 */
const pathOf = ({ XDG_CONFIG_HOME: folder, HOME }: Environment, server: string): string => {
  const configuration = folder?.startsWith('/') ? folder : join(HOME ?? homedir(), '.config');
  return join(configuration, 'portico', 'sign-ins', `${encodeURIComponent(server)}.json`);
};
