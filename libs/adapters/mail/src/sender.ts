import { isPlainLine } from '@portico/domain';

/** From whom mails come. */
export interface Sender {
  /** Empty where there is an address alone. */
  readonly name: string;
  readonly address: string;
}

const lengthMax = 254;
const named = /^(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^"\\<>@,;:]*))\s*<(?<address>[^<>]*)>$/u;

/**
 * Reads `address` or `Name <address>` (RFC 5322, section 3.4); a name that holds one of `@ , ; : < > \ "` stands in
 * quotation marks. Throws for anything else: no address, two of them, a second line.
 */
export const readSender = (text: string): Sender => {
  const parts = named.exec(text.trim())?.groups;
  const name = parts?.quoted?.replace(/\\(.)/gu, '$1') ?? parts?.plain?.trim() ?? '';
  const address = parts?.address ?? text.trim();
  if (text.length > lengthMax || !isOneAddress(address) || !isPlainLine(name)) {
    throw new Error(`one address, as ADDRESS or NAME <ADDRESS>, in at most ${lengthMax} characters`);
  }
  return { name, address };
};

/** One address and nothing round it: no name, no second address, no line break, nothing that shows it otherwise than it is. */
export const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);
