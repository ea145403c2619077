import type { DocumentOperation } from '../documents/document-operations.ts';
import type { CallPermission } from '../access/operation-rule.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { CallSettings } from './call-settings.ts';
import { effectiveAuthenticationOf, type Alternatives, type ApiCredential } from './credentials.ts';
import { acceptOf, referenceOf, responsesOf, type Response } from './operation-parts.ts';
import { listExternalParameters, parametersOf, type Parameter } from './parameters.ts';
import type { Source } from './references.ts';
import { requestBodyOf, type RequestBody } from './request-body.ts';
import { SchemaReader } from './schema-reader.ts';
import { joinUrl, serversOf, warnOfVariables, type OperationUrl, type Server } from './servers.ts';

/** The collection that an operation belongs to. */
export interface OperationContext {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly operationKey: OperationKey;
  readonly settings: CallSettings;
  /** Whether the caller may call it; absent if the result does not show that. */
  readonly call?: CallPermission;
}

/**
 * How an operation is called, as its document says it. The slice, the tool, the command line and the prepared request
 * are views of it (extensions, section 1).
 */
export interface RequestDescription {
  readonly source: Source;
  readonly operation: DocumentOperation;
  readonly context: OperationContext;
  /** Reads the schemas of requests. */
  readonly reader: SchemaReader;
  /** The first one applies. */
  readonly servers: readonly Server[];
  readonly address: OperationUrl;
  /** The first alternative applies; null if the document does not say whether a credential is needed. */
  readonly authentication: Alternatives | null;
  readonly parameters: readonly Parameter[];
  /** The references to parameters in other files. */
  readonly externalParameters: readonly string[];
  readonly body: RequestBody | null;
  readonly responses: readonly Response[];
  /** The header `Accept`; null if any value is right. */
  readonly accept: string | null;
  /** The reference to the description in another file, if the whole operation is there. */
  readonly externalOperation: string | null;
}

export function describeRequest(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
): RequestDescription {
  const { document } = source;
  const reader = new SchemaReader(source, 'request');
  const servers = serversOf(document, operation, context.settings);
  const responses = responsesOf(document, operation);
  return {
    source,
    operation,
    context,
    reader,
    servers,
    address: addressOf(servers[0], operation.path),
    authentication: effectiveAuthenticationOf(document, operation, context.settings, context.collectionName),
    parameters: parametersOf(document, operation),
    externalParameters: listExternalParameters(document, operation),
    body: requestBodyOf(document, operation, reader),
    responses,
    accept: acceptOf(responses),
    externalOperation: referenceOf(operation.operation) ?? referenceOf(operation.pathItem) ?? null,
  };
}

function addressOf(server: Server | undefined, path: string): OperationUrl {
  const address = joinUrl(server?.url ?? '/', path);
  return server ? { ...address, warnings: [...address.warnings, ...warnOfVariables(server)] } : address;
}

/** Returns the credentials that are sent together. */
export const credentialsOf = ({ authentication }: RequestDescription): readonly ApiCredential[] =>
  authentication?.[0] ?? [];

/**
 * Returns the parameters that the caller provides: not those that carry the credential, not the header `Content-Type`,
 * which is part of the body (OpenAPI 3.1, section 4.8.12.2), and not the headers that HTTP clients compute.
 */
export const providedParametersOf = (description: RequestDescription): readonly Parameter[] => {
  const credentials = credentialsOf(description);
  return description.parameters.filter(({ in: location, name }) => {
    const key = name.toLowerCase();
    if (location === 'header' && computedHeaders.has(key)) return false;
    if (location === 'header' && key === 'content-type') return !description.body?.content;
    return !credentials.some((credential) => credential.in === location && credential.name?.toLowerCase() === key);
  });
};

/** Headers about the connection and the size of the body (RFC 9110, sections 7.2, 7.6.1 and 8.6; RFC 9112, section 6.1). */
const computedHeaders = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);
