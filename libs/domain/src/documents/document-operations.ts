import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { localPathOf, memberOf, valueAt } from './document-value.ts';

/** The methods of a path item (OpenAPI 3.1, section 4.8.9.1), in lower case. */
export const operationMethods: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
];

/** An operation in its document. */
export interface DocumentOperation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** The path item, including the members shared by all its operations, such as parameters and servers. */
  readonly pathItem: JsonObject;
  readonly operation: JsonObject;
}

/**
 * Yields the operations of a document, each method of each path, in the document's order. Follows local `$ref`s in path
 * items and operations; omits webhooks, callbacks, and members of `paths` that are not paths.
 */
export function* listDocumentOperations(document: Json): Generator<DocumentOperation> {
  const paths = memberOf(document, 'paths');
  if (!isJsonObject(paths)) return;
  for (const path of Object.keys(paths)) {
    if (path.startsWith('x-')) continue;
    const pathItem = resolveReferences(document, memberOf(paths, path));
    if (!isJsonObject(pathItem)) continue;
    for (const method of Object.keys(pathItem)) {
      if (!operationMethods.includes(method)) continue;
      const operation = resolveReferences(document, memberOf(pathItem, method));
      if (isJsonObject(operation)) yield { method: method.toUpperCase(), path, pathItem, operation };
    }
  }
}

/** Returns the operation with that method (in upper case) and path; undefined if there is none. */
export const findDocumentOperation = (document: Json, method: string, path: string): DocumentOperation | undefined => {
  const name = method.toLowerCase();
  const pathItem = path.startsWith('x-') ? undefined : resolveReferences(document, valueAt(document, ['paths', path]));
  const operation = operationMethods.includes(name) ? resolveReferences(document, memberOf(pathItem, name)) : undefined;
  return isJsonObject(pathItem) && isJsonObject(operation) ? { method, path, pathItem, operation } : undefined;
};

const referenceStepsMax = 10;

/** Follows a chain of local references, and returns the value at its end; undefined if there is none. */
const resolveReferences = (document: Json, value: Json | undefined): Json | undefined => {
  for (let count = 0; count < referenceStepsMax; count++) {
    const reference = memberOf(value, '$ref');
    const path = typeof reference === 'string' ? localPathOf(reference) : undefined;
    if (path === undefined) return value;
    value = valueAt(document, path);
  }
  return undefined;
};
