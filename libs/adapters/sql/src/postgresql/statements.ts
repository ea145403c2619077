import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Value } from '../sql.ts';

/** A PostgreSQL prepared statement: its name, and its text with `$1`, `$2`, … for the parameters. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

export type Query = QueryConfig & { readonly rowMode?: 'array' };

/**
 * Names the statements in the code. Each connection parses a statement once, when it first uses the name. The number of
 * statements is fixed, because none contains data. A name is a hash of the statement's text, so a pooler that shares a
 * server connection between processes can never mix up their statements.
 */
export class Statements {
  readonly #statements = new Map<string, NamedStatement>();

  get(text: string): NamedStatement {
    const cachedStatement = this.#statements.get(text);
    if (cachedStatement) return cachedStatement;
    const statement = { name: nameOf(text), text: numberParameters(text) };
    this.#statements.set(text, statement);
    return statement;
  }

  query(text: string, parameters: readonly Value[]): Query {
    const { name, text: numberedText } = this.get(text);
    return { name, text: numberedText, values: parameters as Value[] };
  }
}

/** Returns a name of 40 characters: PostgreSQL truncates names at 63. */
const nameOf = (text: string): string => `portico_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

/** Replaces each `?` with `$1`, `$2`, …, except in literals and quoted names. */
const numberParameters = (text: string): string => {
  let count = 0;
  return text.replaceAll(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${(count += 1)}` : part));
};

/**
 * Turns one insert of many rows into a few statements: `values (?, ?)` becomes `values (?, ?), (?, ?), …`. There are
 * only a few batch sizes, so few statements are parsed. Any other statement runs once per row.
 */
export const splitBulkInsert = function* (
  text: string,
  rows: readonly (readonly Value[])[],
): Generator<readonly [text: string, parameters: readonly Value[]]> {
  const placeholders = valuesList.exec(text)?.[1];
  let offset = 0;
  while (offset < rows.length) {
    const size = placeholders ? (bulkSizes.find((candidate) => candidate <= rows.length - offset) ?? 1) : 1;
    const chunk = rows.slice(offset, offset + size).flat();
    yield [size === 1 || !placeholders ? text : text.replace(placeholders, repeat(placeholders, size)), chunk];
    offset += size;
  }
};

const valuesList = /\bvalues (\(\?(?:, \?)*\))/;
const bulkSizes = [512, 64, 16, 4, 2, 1];
const repeat = (part: string, times: number): string => Array.from({ length: times }, () => part).join(', ');
