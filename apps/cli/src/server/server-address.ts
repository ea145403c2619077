import { isLoopback } from '@portico/composition';
import { exitCodes, OperatorError } from '../terminal.ts';

/**
 * Returns a server's address, which may have a path, without a trailing slash. Throws an `OperatorError` for any other
 * text, and for plain http to a different machine, which would expose the credential on the network.
 */
export const parseServerAddress = (text: string, allowsPlainHttp: boolean): string => {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw createUsageError(`${text} is not the address of a server: pass one such as https://portico.example.com`);
  // The message does not repeat the address, which may contain a password.
  if (url.username !== '' || url.password !== '')
    throw createUsageError(
      'the address of the server must not contain a user or password: the credential is PORTICO_TOKEN',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowsPlainHttp) {
    throw createUsageError(
      `${url.origin} is plain http, where anyone on the network path can read the credential: use https, or pass --insecure`,
    );
  }
  return url.href.replace(/\/+$/, '');
};

const createUsageError = (message: string): OperatorError => new OperatorError(message, exitCodes.usage);
