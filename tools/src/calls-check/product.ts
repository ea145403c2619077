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
  type CallSettings as ProductSettings,
  type CollectionId,
  type OperationContext,
  type OperationKey,
  type PreparedRequest as ProductRequest,
  type Source,
} from '@portico/domain';
import { parseJsonText, type ObjectValue } from './json-text.ts';

/** The settings of a collection that change how its operations are described. */
export type CallSettings = Partial<ProductSettings>;

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

/** Prepares the request of an operation, such as `GET /pets`, for arguments of its tool. */
export type PrepareCall = (documentText: string, operation: string, args: ObjectValue) => PreparedRequest;

/** The product lists errors of the arguments. */
export class RejectedArguments extends Error {}

export const prepareCall: PrepareCall = (documentText, name, args) => {
  const { source, operation, context } = findOperation(documentText, name);
  const values = parseExactJson(JSON.stringify(args));
  if (!isJsonObject(values)) throw new Error('The arguments are not an object');
  const preparation = prepareRequest(source, operation, context, values);
  if ('errors' in preparation) throw new RejectedArguments(JSON.stringify(preparation.errors));
  return toRequest(preparation.request);
};

/** Returns the tool of an operation with the largest `max_bytes`, so that hardly anything is left out. */
export const readLargeTool = (documentText: string, name: string): ObjectValue => {
  const { source, operation, context } = findOperation(documentText, name);
  return parseJsonText(buildOperationTool(source, operation, context, sliceBytes.max)) as ObjectValue;
};

function findOperation(documentText: string, name: string) {
  const source = readSource(documentText);
  const [method = '', path = ''] = name.split(/ (.*)/s);
  const operation = findDocumentOperation(source.document, method, path);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return { source, operation, context: createContext(method, path) };
}

let lastSource: { readonly text: string; readonly source: Source } | null = null;

/** Parses a document, or returns the last one again. */
function readSource(text: string): Source {
  if (lastSource?.text !== text) lastSource = { text, source: sourceOf(parseExactJson(text)) };
  return lastSource.source;
}

/**
 * Yields the product's description of each operation of a document, or of the selected ones (`GET /pets`). This is the
 * only place that calls the product.
 */
export function* describe(
  documentText: string,
  settings: CallSettings = {},
  isSelected: (operation: string) => boolean = () => true,
): Generator<DescribedOperation> {
  const source = readSource(documentText);
  for (const operation of listDocumentOperations(source.document)) {
    const { method, path } = operation;
    if (!isSelected(`${method} ${path}`)) continue;
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

const createContext = (method: string, path: string, settings: CallSettings = {}): OperationContext => ({
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: 'A collection',
  operationKey: createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 16) as OperationKey,
  settings: { ...defaultCallSettings, ...settings },
});

const toRequest = (request: ProductRequest): PreparedRequest =>
  toPreparedRequestView(request) as unknown as PreparedRequest;
