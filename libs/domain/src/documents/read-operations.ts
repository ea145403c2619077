import { hasAtMostCharacters, takeFirstCharacters } from '../characters.ts';
import type { OperationKey } from '../ids.ts';
import { isJsonArray, type Json } from '../json.ts';
import { toPlainLine, toPlainLines } from '../line.ts';
import { type DocumentOperation, listDocumentOperations } from './document-operations.ts';
import { memberOf } from './document-value.ts';
import type { SchemaViolation } from './document.ts';
import { firstSentenceOf } from './first-sentence.ts';
import type { Operation } from './operation.ts';

/**
 * The maximum number of operations per document: any further ones are neither listed nor found. The largest real
 * document in the tests has 1,533.
 */
export const operationsMax = 10_000;

/**
 * The maximum lengths, in characters (Unicode code points), and the maximum number of tags. An operation with a longer
 * path is omitted; a longer operation id is truncated.
 */
const limits = { path: 2_000, operationId: 500, summary: 500, tag: 200, tags: 20, excerpt: 200 } as const;

/** Computes the key of an operation; an argument, because the domain has no hash function. */
export type OperationKeyOf = (method: string, path: string) => OperationKey;

/**
 * Returns the metadata to store about a document's operations, in the document's order. Each value is small, regardless
 * of the size of the document.
 */
export const readOperations = (document: Json, keyOf: OperationKeyOf): readonly Operation[] => {
  const operations = new Map<OperationKey, Operation>();
  for (const candidate of listStorableOperations(document)) {
    if (operations.size >= operationsMax) break;
    const key = keyOf(candidate.method, candidate.path);
    if (!operations.has(key)) operations.set(key, operationOf(key, candidate));
  }
  return [...operations.values()];
};

/** Returns the position of the first omitted operation if a document has too many. */
export const findOperationsViolation = (document: Json): SchemaViolation | undefined => {
  let count = 0;
  for (const { method, path } of listStorableOperations(document)) {
    if (++count > operationsMax) return { path: ['paths', path, method.toLowerCase()], message: tooManyMessage };
  }
  return undefined;
};

const tooManyMessage = `and all further operations are ignored: only the first ${operationsMax.toLocaleString('en')} are listed and searched`;

function* listStorableOperations(document: Json): Generator<DocumentOperation> {
  for (const operation of listDocumentOperations(document)) {
    if (isStorable(operation.path) && operation.path.length <= limits.path) yield operation;
  }
}

const operationOf = (key: OperationKey, { method, path, operation }: DocumentOperation): Operation => {
  const tags = memberOf(operation, 'tags');
  return {
    key,
    method,
    path,
    operationId: toLine(memberOf(operation, 'operationId'), limits.operationId),
    summary: toLine(memberOf(operation, 'summary'), limits.summary),
    tags: isJsonArray(tags) ? tags.slice(0, limits.tags).flatMap((tag) => toLine(tag, limits.tag) ?? []) : [],
    deprecated: memberOf(operation, 'deprecated') === true,
    excerpt: excerptOf(memberOf(operation, 'description')),
  };
};

/** Returns the beginning of a description, with its line breaks: more text would hardly change search results. */
export const excerptOf = (description: Json | undefined): string =>
  typeof description === 'string' ? toPlainLines(takeFirstCharacters(description, limits.excerpt)) : '';

/**
 * Returns the operation with a summary for display: its own, or else the first sentence of its description (extensions,
 * section 1). Not for searching, which knows the excerpt anyway.
 */
export const withSummary = <T extends Pick<Operation, 'summary' | 'excerpt'>>(operation: T): T => {
  const { summary, excerpt } = operation;
  if (summary !== null || excerpt === '') return operation;
  return { ...operation, summary: firstSentenceOf(excerpt, { isCut: mayBeCut(excerpt) }) || null };
};

/** Whether there may be more text than this excerpt. Each of its line breaks may be one that had two characters. */
const mayBeCut = (excerpt: string): boolean =>
  !hasAtMostCharacters(excerpt, limits.excerpt - excerpt.split('\n').length);

/** Returns a string as one plain line of at most `max` characters; null if the value is not a string, or is blank. */
const toLine = (value: Json | undefined, max: number): string | null =>
  typeof value === 'string' ? takeFirstCharacters(toPlainLine(value.slice(0, 4 * max)), max).trim() || null : null;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
