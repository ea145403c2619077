import { text } from 'node:stream/consumers';
import { accountIdOf, isWellFormedSecret } from '@portico/domain';
import type { Terminal } from '../terminal.ts';

/**
 * Prints and returns whether the text is a well-formed API secret or service account token, without printing the text.
 */
export const checkKey = async (terminal: Terminal, argument: string | undefined): Promise<boolean> => {
  const secret = argument === undefined || argument === '-' ? (await text(terminal.io.stdin)).trim() : argument;
  const wellFormed = isWellFormedSecret(secret) || accountIdOf(secret) !== null;
  const verdict = wellFormed
    ? 'well formed: shape and checksum are right (whether it is in use was not checked)'
    : "not well formed: mistyped, truncated, or neither an API secret nor a service account's token of Portico";
  terminal.result({ well_formed: wellFormed }, [verdict]);
  return wellFormed;
};
