import { createHash } from 'node:crypto';
import {
  buildOperationSlice,
  buildOperationTool,
  extractDocumentMetadata,
  listDocumentOperations,
  sliceBytes,
  type CollectionId,
  type Json,
  type OperationContext,
  type OperationKey,
} from '@portico/domain';
import { isObject, listAt, parseJsonText, stringAt, type ObjectValue, type Value } from './json-text.ts';

/** The settings of a collection that change how its operations are described. */
export interface CallSettings {
  readonly baseUrl?: string;
  readonly serverVariables?: Readonly<Record<string, string>>;
}

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

/** Prepares the request of an operation for arguments of its tool; null while the product does not prepare requests. */
export type PrepareCall = (documentText: string, operation: string, args: ObjectValue) => PreparedRequest;
export const prepareCall = null as PrepareCall | null;

/** Yields the product's description of each operation of a document, or of the selected ones (`GET /pets`). This is the only place that calls the product. */
export function* describe(
  documentText: string,
  _settings: CallSettings,
  isSelected: (operation: string) => boolean = () => true,
): Generator<DescribedOperation> {
  const document = JSON.parse(documentText) as Json;
  const { baseUrl, authentication } = extractDocumentMetadata(document, () => undefined);
  for (const operation of listDocumentOperations(document)) {
    const { method, path } = operation;
    if (!isSelected(`${method} ${path}`)) continue;
    const operationKey = createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 16) as OperationKey;
    const context: OperationContext = {
      collectionId,
      collectionName: 'A collection',
      operationKey,
      baseUrl,
      authentication,
    };
    const slice = (detail: 'request' | 'full', maxBytes: number): ObjectValue =>
      toContract(parseJsonText(buildOperationSlice(document, operation, context, { detail, maxBytes })));
    yield {
      method,
      path,
      slice: slice('request', sliceBytes.default),
      fullSlice: slice('full', sliceBytes.max),
      tool: parseJsonText(buildOperationTool(document, operation, context, sliceBytes.default)) as ObjectValue,
      sampleRequest: null,
    };
  }
}

const collectionId = '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId;

/** Writes today's slice in the form of the contract, which names alternatives of credentials, and reasons of cuts. */
function toContract(slice: Value): ObjectValue {
  if (!isObject(slice)) throw new Error('A slice is not an object');
  const type = stringAt(slice['authentication'], 'type');
  return {
    ...slice,
    authentication: type === 'none' ? [] : [[slice['authentication'] ?? null]],
    truncated: listAt(slice, 'truncated').map((pointer) => ({ pointer, reason: 'budget' })),
  };
}
