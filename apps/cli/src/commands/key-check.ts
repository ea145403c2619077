import { text } from 'node:stream/consumers';
import { accountIdOf, isWellFormedSecret } from '@portico/domain';
import type { Terminal } from '../terminal.ts';

/**
 * Prints and returns whether the text is a well-formed API secret or service account token, without printing the text.
 */
export const checkKey = async (terminal: Terminal, argument: string | undefined): Promise<boolean> => {
  const secret = argument === undefined || argument === '-' ? (await text(terminal.io.stdin)).trim() : argument;
  const isWellFormed = isWellFormedSecret(secret) || accountIdOf(secret) !== null;
  const message = isWellFormed
    ? 'well formed: the format and the checksum are correct (not checked: whether it is in use)'
    : 'not well formed: it is mistyped, truncated, or neither an API secret nor a service account token of Portico';
  terminal.printResult({ well_formed: isWellFormed }, [message]);
  return isWellFormed;
};
