import { createHash } from 'node:crypto';
import {
  buildOperationSlice,
  buildOperationTool,
  defaultCallSettings,
  findDocumentOperation,
  isJsonObject,
  listDocumentOperations,
  parseExactJson,
  prepareRequest,
  prepareSample,
  sliceBytes,
  sourceOf,
  toPreparedRequestView,
  type CallSettings,
  type CollectionId,
  type OperationContext,
  type OperationKey,
  type PreparedRequest as ProductRequest,
} from '@portico/domain';
import { parseJsonText, type ObjectValue } from './json-text.ts';

/** An operation as the product describes it. Numbers have the text that the product writes. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  /** With the default of `max_bytes`. */
  readonly slice: ObjectValue;
  /** With `detail=full` and the largest `max_bytes`. */
  readonly fullSlice: ObjectValue;
  readonly tool: ObjectValue;
  /** The request for the tool's example arguments; null while the product does not prepare requests. */
  readonly sampleRequest: PreparedRequest | null;
}

export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string } | { readonly base64: string } | null;
  readonly credentials: readonly Credential[];
  readonly curl: string | null;
  readonly warnings: readonly string[];
}

interface Credential {
  readonly scheme: string;
  readonly in: string | null;
  readonly name: string | null;
  readonly stored: boolean;
}

/** Prepares the request of an operation for arguments of its tool, given as JSON text. */
export function prepareCall(
  documentText: string,
  method: string,
  path: string,
  argumentsText: string,
): PreparedRequest {
  const source = sourceOf(parseExactJson(documentText));
  const operation = findDocumentOperation(source.document, method, path);
  const values = parseExactJson(argumentsText);
  if (!operation || !isJsonObject(values)) throw new Error(`There is no operation ${method} ${path}`);
  const preparation = prepareRequest(source, operation, createContext(method, path), values);
  if ('errors' in preparation) throw new Error(JSON.stringify(preparation.errors));
  return toRequest(preparation.request);
}

/** Yields the product's description of each operation of a document. This is the only place that calls the product. */
export function* describe(documentText: string, settings: Partial<CallSettings> = {}): Generator<DescribedOperation> {
  const source = sourceOf(parseExactJson(documentText));
  for (const operation of listDocumentOperations(source.document)) {
    const { method, path } = operation;
    const context = createContext(method, path, settings);
    const slice = (detail: 'request' | 'full', maxBytes: number): ObjectValue =>
      parseJsonText(buildOperationSlice(source, operation, context, { detail, maxBytes })) as ObjectValue;
    const sample = prepareSample(source, operation, context);
    yield {
      method,
      path,
      slice: slice('request', sliceBytes.default),
      fullSlice: slice('full', sliceBytes.max),
      tool: parseJsonText(buildOperationTool(source, operation, context, sliceBytes.default)) as ObjectValue,
      sampleRequest: sample && toRequest(sample),
    };
  }
}

const createContext = (method: string, path: string, settings: Partial<CallSettings> = {}): OperationContext => ({
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: 'A collection',
  operationKey: createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 16) as OperationKey,
  settings: { ...defaultCallSettings, ...settings },
});

const toRequest = (request: ProductRequest): PreparedRequest =>
  toPreparedRequestView(request) as unknown as PreparedRequest;
