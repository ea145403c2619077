import { JsonError, positionOf, scanJson, type Json } from '@portico/domain';
import { readFileSync } from 'node:fs';

/** A file that cannot be evaluated. The message contains the file, the line, and the expected value. */
export class DataError extends Error {
  constructor(file: string, location: string, message: string) {
    super(location === '' ? `${file}: ${message}` : `${file}, ${location}: ${message}`);
    this.name = 'DataError';
  }
}

/** A record in a file; `fail` creates an error with the record's location. */
export interface SourceRecord {
  readonly value: { readonly [name: string]: Json };
  readonly fail: (message: string) => DataError;
}

const limits = { nestingMax: 100, valuesMax: 10_000_000 };

/** Reads a file with one JSON object per line. Ignores empty lines. */
export const readLines = (file: string): readonly SourceRecord[] => {
  const records = readUtf8(file)
    .toString()
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [recordIn(file, `line ${index + 1}`, Buffer.from(line))]));
  if (records.length === 0) throw new DataError(file, '', 'it contains no records');
  return records;
};

/** Reads a file that is a JSON array of objects. */
export const readArray = (file: string): readonly SourceRecord[] => {
  const bytes = readUtf8(file);
  const { items } = scanFile(file, bytes, '');
  if (!items) throw new DataError(file, '', 'it must contain a JSON array');
  if (items.length === 0) throw new DataError(file, '', 'it contains no records');
  return items.map(({ start, end }) => recordIn(file, lineOf(bytes, start), bytes.subarray(start, end)));
};

const lineOf = (bytes: Uint8Array, offset: number): string => positionOf(bytes, offset).replace(/,.*/, '');

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

const scanFile = (file: string, bytes: Uint8Array, location: string) => {
  try {
    return scanJson(bytes, limits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new DataError(file, location || positionOf(bytes, error.offset), `not valid JSON: ${error.message}`);
  }
};

const recordIn = (file: string, location: string, bytes: Uint8Array): SourceRecord => {
  const fail = (message: string) => new DataError(file, location, message);
  if (!scanFile(file, bytes, location).members) throw fail('a record must be a JSON object');
  return { value: JSON.parse(Buffer.from(bytes).toString()) as SourceRecord['value'], fail };
};

/** Returns a string member. Throws `DataError` if it is absent, not a string, or empty. */
export const textOf = ({ value, fail }: SourceRecord, name: string): string => {
  const text = value[name];
  if (typeof text !== 'string' || text.trim() === '') throw fail(`"${name}" must be a non-empty string`);
  return text;
};

/** Throws `DataError` if an earlier record has this id. */
export const rejectDuplicate = (seenIds: Set<string>, id: string, { fail }: SourceRecord): void => {
  if (seenIds.has(id)) throw fail(`an earlier record already has the id "${id}"`);
  seenIds.add(id);
};

/** Returns a grade, which is 1 or 2. Throws `DataError` for anything else. */
export const gradeOf = (grade: Json | undefined, target: string, { fail }: SourceRecord): number => {
  if (grade !== 1 && grade !== 2) throw fail(`the grade of ${target} must be 2 (direct answer) or 1 (related)`);
  return grade;
};
