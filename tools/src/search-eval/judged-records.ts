import { JsonError, placeOf, scanJson, type Json } from '@portico/domain';
import { readFileSync } from 'node:fs';

/** A file that cannot be evaluated. The message names the file, the line, and what is expected there. */
export class DataError extends Error {
  constructor(file: string, where: string, what: string) {
    super(where === '' ? `${file}: ${what}` : `${file}, ${where}: ${what}`);
    this.name = 'DataError';
  }
}

/** One record of a file, and its place for messages. */
export interface SourceRecord {
  readonly value: { readonly [name: string]: Json };
  readonly fail: (what: string) => DataError;
}

const bounds = { nestingMax: 100, valuesMax: 10_000_000 };

/** Reads a file with one JSON object a line; empty lines are left out. */
export const readLines = (file: string): readonly SourceRecord[] => {
  const records = readUtf8(file)
    .toString()
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === '' ? [] : [recordIn(file, `line ${at + 1}`, Buffer.from(line))]));
  if (records.length === 0) throw new DataError(file, '', 'it holds no record');
  return records;
};

/** Reads a file that is a JSON array of objects. */
export const readArray = (file: string): readonly SourceRecord[] => {
  const bytes = readUtf8(file);
  const { items } = scanned(file, bytes, '');
  if (!items) throw new DataError(file, '', 'it must be a JSON array');
  if (items.length === 0) throw new DataError(file, '', 'it holds no record');
  return items.map(({ start, end }) => recordIn(file, lineOf(bytes, start), bytes.subarray(start, end)));
};

const lineOf = (bytes: Uint8Array, offset: number): string => placeOf(bytes, offset).replace(/,.*/, '');

const readUtf8 = (file: string): Buffer => {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DataError(file, '', code === 'ENOENT' ? 'no such file' : `cannot be read (${code})`);
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DataError(file, '', 'it is not valid UTF-8');
  }
  return bytes;
};

const scanned = (file: string, bytes: Uint8Array, where: string) => {
  try {
    return scanJson(bytes, bounds);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new DataError(file, where || placeOf(bytes, error.offset), `not valid JSON: ${error.message}`);
  }
};

const recordIn = (file: string, where: string, bytes: Uint8Array): SourceRecord => {
  const fail = (what: string) => new DataError(file, where, what);
  if (!scanned(file, bytes, where).members) throw fail('it must be a JSON object');
  return { value: JSON.parse(Buffer.from(bytes).toString()) as SourceRecord['value'], fail };
};

/** The member as text. Throws `DataError` if it is absent, no text, or empty. */
export const textOf = ({ value, fail }: SourceRecord, name: string): string => {
  const text = value[name];
  if (typeof text !== 'string' || text.trim() === '') throw fail(`"${name}" must be a text that is not empty`);
  return text;
};

/** Throws `DataError` if an earlier record has this id. */
export const refuseTwins = (seen: Set<string>, id: string, { fail }: SourceRecord): void => {
  if (seen.has(id)) throw fail(`an earlier record has the id "${id}" too`);
  seen.add(id);
};

/** A grade: 1 or 2. Throws `DataError` for anything else. */
export const gradeOf = (grade: Json | undefined, of: string, { fail }: SourceRecord): number => {
  if (grade !== 1 && grade !== 2) throw fail(`the grade of ${of} must be 2 (direct answer) or 1 (related)`);
  return grade;
};
