import { isPlainName } from '@portico/domain';
import { exitCodes, OperatorError } from '../terminal.ts';

const lengthMax = 200;

/**
 * Returns the name of a new group or service account in its stored form. Throws an `OperatorError` if it is invalid.
 */
export const newName = (text: string): string => {
  const name = text.trim().normalize('NFC');
  if (name !== '' && [...name].length <= lengthMax && isPlainName(name)) return name;
  throw new OperatorError(
    `the name must be one line of 1 to ${lengthMax} characters, without control or invisible characters`,
    exitCodes.usage,
  );
};
