import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Value } from '../sql.ts';

/** A prepared statement of PostgreSQL: its name, and its text with `$1`, `$2`, … for the parameters. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

export type Query = QueryConfig & { readonly rowMode?: 'array' };

/**
 * Names for the texts that the code has. Each connection parses a text once, at its first use under the name. There are
 * as many as the code has statements, since none is put together from data. A name says its text, so that a pooler which
 * hands one connection of the server to several processes can never make of a name the statement of another process.
 */
export class Statements {
  readonly #named = new Map<string, NamedStatement>();

  of(text: string): NamedStatement {
    const known = this.#named.get(text);
    if (known) return known;
    const statement = { name: nameOf(text), text: numbered(text) };
    this.#named.set(text, statement);
    return statement;
  }

  query(text: string, parameters: readonly Value[]): Query {
    const { name, text: numberedText } = this.of(text);
    return { name, text: numberedText, values: parameters as Value[] };
  }
}

/** Of 40 characters: PostgreSQL cuts a name at 63. */
const nameOf = (text: string): string => `portico_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

/** `?` becomes `$1`, `$2`, …, but not in a literal or a quoted name. */
const numbered = (text: string): string => {
  let count = 0;
  return text.replaceAll(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${(count += 1)}` : part));
};

/**
 * The same insertion for many rows as few statements: `values (?, ?)` becomes `values (?, ?), (?, ?), …`, in sizes of which
 * there are few, so that few statements are parsed. One statement a row where the text is no insertion.
 */
export const inBulk = function* (
  text: string,
  rows: readonly (readonly Value[])[],
): Generator<readonly [text: string, parameters: readonly Value[]]> {
  const placeholders = valuesList.exec(text)?.[1];
  let taken = 0;
  while (taken < rows.length) {
    const size = placeholders ? (bulkSizes.find((some) => some <= rows.length - taken) ?? 1) : 1;
    const chunk = rows.slice(taken, taken + size).flat();
    yield [size === 1 || !placeholders ? text : text.replace(placeholders, repeated(placeholders, size)), chunk];
    taken += size;
  }
};

const valuesList = /\bvalues (\(\?(?:, \?)*\))/;
const bulkSizes = [1024, 64, 16, 4, 1];
const repeated = (part: string, times: number): string => Array.from({ length: times }, () => part).join(', ');
