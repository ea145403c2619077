import { listDocumentOperations, type DocumentOperation } from '../documents/document-operations.ts';
import type { OperationKeyOf } from '../documents/read-operations.ts';
import type { Json } from '../json.ts';
import { changeLevels, changesMax, type Change, type ChangeLevel, type Comparison } from './change.ts';

/** Returns a digest of a text in hexadecimal; an argument, because the domain has no hash function. */
export type DigestOf = (text: string) => string;

/** Compares two parsed documents (extensions, section 8). */
export const compareDocuments = (
  before: Json,
  after: Json,
  { keyOf, digestOf }: { readonly keyOf: OperationKeyOf; readonly digestOf: DigestOf },
): Comparison => {
  const changes: Change[] = [];
  const report = (rule: string, level: ChangeLevel, { method, path }: DocumentOperation, text: string): void => {
    const fingerprint = digestOf(`${rule}\n${method} ${path}\n\n${text}`).slice(0, 12);
    const operation = { key: keyOf(method, path), method, path };
    changes.push({ rule, level, operation, place: '', text, example: null, fingerprint });
  };
  const [oldOperations, newOperations] = [operationsOf(before), operationsOf(after)];
  for (const [name, operation] of oldOperations)
    if (!newOperations.has(name))
      report('api-removed-without-deprecation', 'breaking', operation, 'The operation was removed.');
  for (const [name, operation] of newOperations)
    if (!oldOperations.has(name)) report('endpoint-added', 'info', operation, 'The operation was added.');
  const count = (level: ChangeLevel) => changes.filter((change) => change.level === level).length;
  return {
    changes: changeLevels.flatMap((level) => changes.filter((change) => change.level === level)).slice(0, changesMax),
    counts: { breaking: count('breaking'), warning: count('warning'), info: count('info') },
  };
};

const operationsOf = (document: Json): ReadonlyMap<string, DocumentOperation> =>
  new Map(
    [...listDocumentOperations(document)].map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
