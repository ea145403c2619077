import { isPlainLine } from '@portico/domain';

/** One address and nothing round it: no name, no second address, no line break, nothing that shows it otherwise than it is. */
export const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);
