import { findDocumentOperation } from '../src/documents/document-operations.ts';
import type { CollectionId, OperationKey } from '../src/ids.ts';
import type { Json, JsonObject } from '../src/json.ts';
import { defaultCallSettings, type CallSettings } from '../src/operations/call-settings.ts';
import { sourceOf, type Source } from '../src/operations/references.ts';
import {
  describeRequest,
  type OperationContext,
  type RequestDescription,
} from '../src/operations/request-description.ts';

/** A document with one operation, and the settings of its collection. */
export interface DocumentOptions {
  readonly openapi?: string;
  readonly path?: string;
  readonly pathItem?: JsonObject;
  readonly schemas?: JsonObject;
  readonly components?: JsonObject;
  /** Other members of the document, such as `servers`. */
  readonly root?: JsonObject;
  readonly settings?: Partial<CallSettings>;
}

/** Returns the source, the operation and the context that a view of an operation is made of. */
export function createOperation(operation: JsonObject, options: DocumentOptions = {}) {
  const { openapi = '3.1.0', path = '/pets', pathItem = {}, schemas = {}, components = {}, root = {} } = options;
  const document: Json = {
    openapi,
    info: { title: 'Pets', version: '1' },
    paths: { [path]: { ...pathItem, post: { responses: {}, ...operation } } },
    components: { schemas, ...components },
    ...root,
  };
  const match = findDocumentOperation(document, 'POST', path);
  if (!match) throw new Error('There is no such operation');
  const context: OperationContext = {
    collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
    collectionName: 'Pets',
    operationKey: 'abcdefghijklmnop' as OperationKey,
    settings: { ...defaultCallSettings, ...options.settings },
  };
  return [sourceOf(document), match, context] as const satisfies readonly [Source, unknown, OperationContext];
}

export const describeOperation = (operation: JsonObject, options?: DocumentOptions): RequestDescription =>
  describeRequest(...createOperation(operation, options));

export const createBody = (schema: Json, mediaType = 'application/json', content: JsonObject = {}): JsonObject => ({
  requestBody: { required: true, content: { [mediaType]: { schema, ...content } } },
});
