import { isPlainLine } from '@portico/domain';

/** The sender of all emails. */
export interface Sender {
  /** The display name. Empty if there is only an address. */
  readonly name: string;
  readonly address: string;
}

const lengthMax = 254;
const mailbox = /^(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^"\\<>@,;:]*))\s*<(?<address>[^<>]*)>$/u;

/**
 * Parses `address` or `Name <address>` (RFC 5322, section 3.4); a name with any of `@ , ; : < > \ "` must be quoted.
 * Throws for anything else: no address, two addresses, or a second line.
 */
export const readSender = (text: string): Sender => {
  const parts = mailbox.exec(text.trim())?.groups;
  const name = parts?.quoted?.replace(/\\(.)/gu, '$1') ?? parts?.plain?.trim() ?? '';
  const address = parts?.address ?? text.trim();
  if (text.length > lengthMax || !isOneAddress(address) || !isPlainLine(name)) {
    throw new Error(`one address, as ADDRESS or NAME <ADDRESS>, in at most ${lengthMax} characters`);
  }
  return { name, address };
};

/** Whether the text is exactly one address, without a name, a second address, a line break or deceptive characters. */
export const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);
