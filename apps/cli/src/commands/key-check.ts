import { text } from 'node:stream/consumers';
import { isWellFormedSecret } from '@portico/domain';
import type { Terminal } from '../terminal.ts';

/** Whether the text is a well-formed secret; says so without repeating it. */
export const checkKey = async (terminal: Terminal, argument: string | undefined): Promise<boolean> => {
  const secret = argument === undefined || argument === '-' ? (await text(process.stdin)).trim() : argument;
  const wellFormed = isWellFormedSecret(secret);
  const said = wellFormed
    ? 'well formed: shape and checksum are right (whether it is in use is not looked up)'
    : 'not well formed: mistyped, cut off, or no API secret of Portico';
  terminal.result({ well_formed: wellFormed }, [said]);
  return wellFormed;
};
