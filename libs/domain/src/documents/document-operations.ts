import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { localPath, memberOf, valueAt } from './document-value.ts';

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

/** An operation where it stands in its document. */
export interface DocumentOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  /** The path item, with what all its operations share, such as parameters and servers. */
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/**
 * The operations of a document, each method of each path, in the document's order. Local `$ref`s of path items and of
 * operations are followed; webhooks, callbacks, and members of `paths` that are no paths are left out.
 */
export function* documentOperations(document: Json): Generator<DocumentOperation> {
  const paths = memberOf(document, 'paths');
  if (!isJsonObject(paths)) return;
  for (const path of Object.keys(paths)) {
    if (path.startsWith('x-')) continue;
    const item = followed(document, memberOf(paths, path));
    if (!isJsonObject(item)) continue;
    for (const method of Object.keys(item)) {
      if (!operationMethods.includes(method)) continue;
      const operation = followed(document, memberOf(item, method));
      if (isJsonObject(operation)) yield { method: method.toUpperCase(), path, item, operation };
    }
  }
}

/** The operation of that method (in capitals) and path; undefined if there is none. */
export const documentOperation = (document: Json, method: string, path: string): DocumentOperation | undefined => {
  const name = method.toLowerCase();
  const item = path.startsWith('x-') ? undefined : followed(document, valueAt(document, ['paths', path]));
  const operation = operationMethods.includes(name) ? followed(document, memberOf(item, name)) : undefined;
  return isJsonObject(item) && isJsonObject(operation) ? { method, path, item, operation } : undefined;
};

const followedMax = 10;

/** The value that a chain of local references leads to; undefined if it leads nowhere. */
const followed = (document: Json, value: Json | undefined): Json | undefined => {
  for (let count = 0; count < followedMax; count++) {
    const reference = memberOf(value, '$ref');
    const path = typeof reference === 'string' ? localPath(reference) : undefined;
    if (path === undefined) return value;
    value = valueAt(document, path);
  }
  return undefined;
};
