import { firstCharacters } from '../characters.ts';
import type { OperationKey } from '../ids.ts';
import { isJsonArray, type Json } from '../json.ts';
import { plainLine, plainLines } from '../line.ts';
import { type DocumentOperation, documentOperations } from './document-operations.ts';
import { memberOf } from './document-value.ts';
import type { SchemaViolation } from './document.ts';
import type { Operation } from './operation.ts';

/** Further operations of a document are neither listed nor found; the largest real one in the tests has 1,533. */
export const operationsMax = 10_000;

/** In characters (Unicode code points). A longer path or operation id names an operation that is left out or nameless. */
const limits = { path: 2_000, operationId: 500, summary: 500, tag: 200, tags: 20, excerpt: 200 } as const;

/** Makes the key of an operation: the domain has no hash function of its own. */
export type OperationKeyOf = (method: string, path: string) => OperationKey;

/** What is kept of a document's operations, in its order. Each of them is small, however large the document is. */
export const readOperations = (document: Json, keyOf: OperationKeyOf): readonly Operation[] => {
  const operations = new Map<OperationKey, Operation>();
  for (const found of storableOperations(document)) {
    if (operations.size >= operationsMax) break;
    const key = keyOf(found.method, found.path);
    if (!operations.has(key)) operations.set(key, operationOf(key, found));
  }
  return [...operations.values()];
};

/** Where a document has more operations than are kept: the first of those that are left out. */
export const operationsViolation = (document: Json): SchemaViolation | undefined => {
  let count = 0;
  for (const { method, path } of storableOperations(document)) {
    if (++count > operationsMax) return { path: ['paths', path, method.toLowerCase()], message: tooMany };
  }
  return undefined;
};

const tooMany = `and what follows is neither listed nor found: only the first ${operationsMax.toLocaleString('en')} operations are`;

function* storableOperations(document: Json): Generator<DocumentOperation> {
  for (const found of documentOperations(document)) {
    if (isStorable(found.path) && found.path.length <= limits.path) yield found;
  }
}

const operationOf = (key: OperationKey, { method, path, operation }: DocumentOperation): Operation => {
  const tags = memberOf(operation, 'tags');
  return {
    key,
    method,
    path,
    operationId: lineIn(memberOf(operation, 'operationId'), limits.operationId),
    summary: lineIn(memberOf(operation, 'summary'), limits.summary),
    tags: isJsonArray(tags) ? tags.slice(0, limits.tags).flatMap((tag) => lineIn(tag, limits.tag) ?? []) : [],
    deprecated: memberOf(operation, 'deprecated') === true,
    excerpt: excerptOf(memberOf(operation, 'description')),
  };
};

/** The beginning of a description, with its line breaks: more of it changes what is found by little. */
export const excerptOf = (description: Json | undefined): string =>
  typeof description === 'string' ? plainLines(firstCharacters(description, limits.excerpt)) : '';

/** One plain line of a text; null if there is none. */
const lineIn = (value: Json | undefined, max: number): string | null =>
  typeof value === 'string' ? firstCharacters(plainLine(value.slice(0, 4 * max)), max).trim() || null : null;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
