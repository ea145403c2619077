import { readFile } from 'node:fs/promises';
import type { Environment } from '@portico/composition';
import { readStoredToken } from '../sign-in/stored-token.ts';
import { exitCodes, OperatorError } from '../terminal.ts';

/** The credential of a request to a server. */
export interface ServerCredential {
  /** A secret: never print it. */
  readonly token: string;
  /** The credential's source, for messages. */
  readonly source: string;
  /** What to do if the server rejects the credential. */
  readonly remedy: string;
}

/**
 * Returns the credential for a server: `PORTICO_TOKEN`, the content of `PORTICO_TOKEN_FILE`, or the token that `portico
 * login` stored, in this order. If there is none, throws an `OperatorError` that says how to get one.
 */
export const credentialFor = async (environment: Environment, server: string): Promise<ServerCredential> => {
  const { PORTICO_TOKEN: value, PORTICO_TOKEN_FILE: path } = environment;
  if (value && path)
    throw new OperatorError('PORTICO_TOKEN and PORTICO_TOKEN_FILE are both set: set one', exitCodes.usage);
  const remedy = 'it has expired, was revoked, or belongs to a different server. Set a new one';
  if (value) return { token: requireWellFormed(value, 'PORTICO_TOKEN'), source: 'PORTICO_TOKEN', remedy };
  if (path)
    return {
      token: requireWellFormed(await contentOf(path), 'PORTICO_TOKEN_FILE'),
      source: 'PORTICO_TOKEN_FILE',
      remedy,
    };
  const token = await readStoredToken(environment, server);
  if (token !== null) {
    return {
      token: requireWellFormed(token, 'the sign-in'),
      source: 'the sign-in',
      remedy: 'run "portico login" again',
    };
  }
  throw new OperatorError(
    `there is no credential for ${server}: run "portico login --server ${server}", or set PORTICO_TOKEN to a service account's token`,
  );
};

const contentOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new OperatorError(`PORTICO_TOKEN_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });

/** Rejects anything but printable ASCII, because the error about an invalid header would quote it. */
const requireWellFormed = (text: string, source: string): string => {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new OperatorError(`${source} is not a token: a token is a single line of printable ASCII without spaces`);
};
