import { operationMethods } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveObject } from '../operations/references.ts';
import type { ChangedOperation } from './change.ts';
import type { ChangeList } from './change-list.ts';
import { ContentComparison, type ComparedDocuments } from './compare-contents.ts';

/**
 * Compares the callbacks of an operation: the requests that the API sends to its callers, who receive their bodies as
 * they receive responses.
 */
export const compareCallbacks = (
  documents: ComparedDocuments,
  {
    before,
    after,
  }: { readonly before: { readonly operation: JsonObject }; readonly after: { readonly operation: JsonObject } },
  operation: ChangedOperation,
  list: ChangeList,
): void => {
  const [items, newItems] = [
    callbackItemsOf(documents.before, before.operation),
    callbackItemsOf(documents.after, after.operation),
  ];
  comparePathItems('callback', documents, [items, newItems], operation, list);
};

/** Compares the webhooks of two documents, like `compareCallbacks`. */
export const compareWebhooks = (documents: ComparedDocuments, list: ChangeList): void => {
  const [items, newItems] = [documents.before, documents.after].map((document) =>
    pathItemsOf(document, memberOf(document, 'webhooks')),
  );
  comparePathItems('webhook', documents, [items ?? new Map(), newItems ?? new Map()], null, list);
};

type PathItems = ReadonlyMap<string, JsonObject>;

const comparePathItems = (
  kind: 'callback' | 'webhook',
  documents: ComparedDocuments,
  [items, newItems]: readonly [PathItems, PathItems],
  operation: ChangedOperation | null,
  list: ChangeList,
): void => {
  const requests = requestsOf(documents.before, items);
  const newRequests = requestsOf(documents.after, newItems);
  const contents = new ContentComparison(documents, operation, list);
  for (const [name, body] of requests) {
    const place = `${kind} ${name}`;
    const newBody = newRequests.get(name);
    if (newBody) contents.compare('response-body', place, body, newBody);
    else list.add(operation, { rule: `${kind}-removed`, level: 'breaking', place, text: `the ${kind} was removed` });
  }
  for (const name of newRequests.keys())
    if (!requests.has(name))
      list.add(operation, {
        rule: `${kind}-added`,
        level: 'info',
        place: `${kind} ${name}`,
        text: `the ${kind} was added`,
      });
};

/** Returns the bodies of the requests, by the name of the path item and the method. */
const requestsOf = (document: Json, items: PathItems): PathItems =>
  new Map(
    [...items].flatMap(([name, item]) =>
      operationMethods
        .map((method) => [method, resolveObject(document, memberOf(item, method))] as const)
        .filter(([, operation]) => operation !== undefined)
        .map(
          ([method, operation]) =>
            [`${name} ${method}`, resolveObject(document, memberOf(operation, 'requestBody')) ?? {}] as const,
        ),
    ),
  );

/** Returns the path items of callbacks, by the name of the callback and the address that it is sent to. */
const callbackItemsOf = (document: Json, operation: JsonObject): PathItems => {
  const callbacks = memberOf(operation, 'callbacks');
  return new Map(
    Object.entries(isJsonObject(callbacks) ? callbacks : {}).flatMap(([name, callback]) =>
      [...pathItemsOf(document, resolveObject(document, callback))].map(
        ([address, item]) => [`${name} ${address}`, item] as const,
      ),
    ),
  );
};

const pathItemsOf = (document: Json, value: Json | undefined): PathItems =>
  new Map(
    Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, item]) => {
      const pathItem = name.startsWith('x-') ? undefined : resolveObject(document, item);
      return pathItem ? [[name, pathItem] as const] : [];
    }),
  );
