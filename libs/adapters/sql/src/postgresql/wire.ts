import { DatabaseError } from 'pg';
import type { Value } from '../sql.ts';
import type { NamedStatement } from './statements.ts';

/** The codes of the server's messages that answer a statement. (PostgreSQL's documentation, Message Formats.) */
export const messageCodes = {
  parseComplete: 0x31,
  bindComplete: 0x32,
  closeComplete: 0x33,
  notificationResponse: 0x41,
  commandComplete: 0x43,
  dataRow: 0x44,
  errorResponse: 0x45,
  emptyQuery: 0x49,
  noticeResponse: 0x4e,
  parameterStatus: 0x53,
  rowDescription: 0x54,
  readyForQuery: 0x5a,
  noData: 0x6e,
  parameterDescription: 0x74,
} as const;

/** A message begins with its code and its length, which counts itself. */
export const messageStart = 5;
/** The length of the message that begins here, with its code. */
export const messageLength = (bytes: Buffer, at: number): number => bytes.readInt32BE(at + 1) + 1;

/** Parses a statement under its name, in place of any earlier one, and asks for the columns of its rows. */
export const prepareMessages = ({ name, text }: NamedStatement): Buffer =>
  Buffer.concat([message('C', `S${name}\0`), message('P', `${name}\0${text}\0\0\0`), message('D', `S${name}\0`)]);

/** Ends what the server executes as one transaction. */
export const syncMessage = (): Buffer => message('S', '');

/** Ends a session. */
export const terminateMessage = (): Buffer => message('X', '');

const message = (code: string, body: string): Buffer => {
  const bytes = Buffer.from(`${code}\0\0\0\0${body}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
};

/** Runs a prepared statement: values go as text, rows come in binary. */
export const executeMessages = (name: string, values: readonly Value[]): Buffer => {
  const texts = values.map(textOf);
  let size = messageStart + name.length + bindRest;
  for (const text of texts) size += 4 + (text === null ? 0 : text.length * utf8BytesMax);
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = 0x42;
  // No name for the portal.
  bytes[messageStart] = 0;
  let at = messageStart + 1;
  at += bytes.write(name, at, 'latin1');
  bytes[at++] = 0;
  at = bytes.writeInt16BE(0, at);
  at = bytes.writeInt16BE(values.length, at);
  for (const text of texts) {
    const length = text === null ? -1 : bytes.write(text, at + 4);
    at = bytes.writeInt32BE(length, at) + Math.max(0, length);
  }
  at = bytes.writeInt32BE(allInBinary, at);
  bytes.writeInt32BE(at - 1, 1);
  bytes.set(execute, at);
  return bytes.subarray(0, at + execute.length);
};

const textOf = (value: Value): string | null => {
  if (typeof value === 'string' || value === null) return value;
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
};

const utf8BytesMax = 3;
/** One format for all columns (two bytes), and that is binary (two bytes). */
const allInBinary = 0x0001_0001;
const execute = message('E', '\0\0\0\0\0');
/** The ends of two names, two counts, the formats, and what follows. */
const bindRest = 2 + 2 + 2 + 4 + execute.length;

type ReadValue = (bytes: Buffer, from: number, to: number) => unknown;

/** How to read the rows of one statement. */
export interface RowLayout {
  readonly names: readonly string[];
  readonly readers: readonly ReadValue[];
  /** A row without values: a copy of it has the shape that all rows have. */
  readonly empty: Readonly<Record<string, unknown>>;
}

/** From the body of a row description. Throws if a column has a type that no hot read has. */
export const layoutOf = (bytes: Buffer, at: number): RowLayout => {
  const names: string[] = [];
  const readers: ReadValue[] = [];
  let from = at + 2;
  for (let left = bytes.readInt16BE(at); left > 0; left -= 1) {
    const end = bytes.indexOf(0, from);
    const name = bytes.toString('utf8', from, end);
    // Behind the name: table 4, column 2, type 4, size 2, modifier 4, format 2.
    const type = bytes.readUInt32BE(end + 7);
    const reader = readersByType.get(type);
    if (!reader) throw new Error(`The column ${name} has the type ${type}, which is not read in binary.`);
    names.push(name);
    readers.push(reader);
    from = end + 19;
  }
  return { names, readers, empty: Object.fromEntries(names.map((name) => [name, null])) };
};

/** From the body of a data row. Bytes are a view. */
export const rowOf = ({ names, readers, empty }: RowLayout, bytes: Buffer, at: number): Record<string, unknown> => {
  const row = { ...empty };
  let from = at + 2;
  for (let index = 0; index < names.length; index += 1) {
    const length = bytes.readInt32BE(from);
    from += 4;
    if (length < 0) continue;
    row[names[index] as string] = (readers[index] as ReadValue)(bytes, from, from + length);
    from += length;
  }
  return row;
};

const readText: ReadValue = (bytes, from, to) => bytes.toString('utf8', from, to);
/** No stored integer exceeds 2^53. */
const readInt8: ReadValue = (bytes, at) => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

/** By the `oid` of `pg_type`. */
const readersByType: ReadonlyMap<number, ReadValue> = new Map([
  [16, (bytes, at) => bytes[at] === 1],
  [17, (bytes, from, to) => bytes.subarray(from, to)],
  [20, readInt8],
  [21, (bytes, at) => bytes.readInt16BE(at)],
  [23, (bytes, at) => bytes.readInt32BE(at)],
  [25, readText],
  [1043, readText],
]);

/** From the body of an error response: a field begins with the letter of its kind. */
export const errorOf = (bytes: Buffer, at: number, length: number): DatabaseError => {
  const fields = new Map<string, string>();
  for (let from = at; bytes[from];) {
    const end = bytes.indexOf(0, from);
    fields.set(String.fromCharCode(bytes[from] as number), bytes.toString('utf8', from + 1, end));
    from = end + 1;
  }
  const error = new DatabaseError(fields.get('M') ?? '', length, 'error');
  for (const [letter, name] of errorFields) error[name] = fields.get(letter);
  return error;
};

const errorFields = [
  ['S', 'severity'],
  ['C', 'code'],
  ['D', 'detail'],
  ['H', 'hint'],
  ['W', 'where'],
  ['q', 'internalQuery'],
  ['n', 'constraint'],
] as const;
