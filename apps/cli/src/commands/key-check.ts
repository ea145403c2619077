import { text } from 'node:stream/consumers';
import { isWellFormedSecret } from '@portico/domain';
import type { Terminal } from '../terminal.ts';

/** Returns and prints whether the text is a well-formed secret, without repeating it. */
export const checkKey = async (terminal: Terminal, argument: string | undefined): Promise<boolean> => {
  const secret = argument === undefined || argument === '-' ? (await text(process.stdin)).trim() : argument;
  const wellFormed = isWellFormedSecret(secret);
  const said = wellFormed
    ? 'well formed: shape and checksum are right (whether it is in use was not checked)'
    : 'not well formed: mistyped, truncated, or not an API secret of Portico';
  terminal.result({ well_formed: wellFormed }, [said]);
  return wellFormed;
};
