import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';
import type { McpClient, ToolResult } from './mcp-clients.ts';
import { sampleOf } from './sample-value.ts';

/** An operation in a result of `search_operations`. */
export interface OperationSummary {
  readonly collection_id: string;
  readonly operation_key: string;
  readonly method: string;
  readonly path: string;
}

interface Slice {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Json;
    readonly example?: Json;
  }[];
  readonly authentication: readonly (readonly Credential[])[] | null;
  readonly request_body: {
    readonly required: boolean;
    readonly content_type: string | null;
    readonly schema?: Json;
    readonly example?: Json;
  } | null;
}

/** A credential that a request needs. */
export interface Credential {
  readonly scheme: string | null;
  readonly in: 'header' | 'query' | 'cookie' | null;
  readonly name: string | null;
  readonly prefix: string | null;
}

interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly [string, string][];
  readonly body: { readonly text: string } | { readonly base64: string } | null;
  readonly credentials: readonly Credential[];
}

/** The outcome of a task. */
export interface TaskOutcome {
  readonly operation: OperationSummary;
  /** The operation's index in the search results. */
  readonly rank: number;
  readonly status: number;
  readonly responseText: string;
}

/**
 * Performs a task using only the tools, like a model: searches, selects the first result that `isExpected` accepts, reads
 * its description, fills in the required arguments with values that the schemas allow, and prepares the call; then sends
 * the request with the credentials that it names, and records the call. Returns null if `isExpected` accepts no result.
 */
export const performTask = async (
  mcp: McpClient,
  task: string,
  isExpected: (candidate: OperationSummary) => boolean,
  valueOf: (credential: Credential) => string,
): Promise<TaskOutcome | null> => {
  const { operations } = dataOf(await mcp.call('search_operations', { query: task, limit: 10 })) as {
    readonly operations: readonly OperationSummary[];
  };
  const rank = operations.findIndex(isExpected);
  const operation = operations[rank];
  if (!operation) return null;
  const { collection_id, operation_key } = operation;
  const [text = ''] = (await mcp.call('describe_operation', { collection_id, operation_key })).texts;
  const slice = JSON.parse(text) as Slice;
  const args = { collection_id, operation_key, arguments: argumentsFor(slice) };
  const preparation = await mcp.call('prepare_call', args);
  if (preparation.isError) throw new Error(`${preparation.text} ${JSON.stringify(args.arguments)}`);
  const response = await fetch(...toFetchArguments(JSON.parse(preparation.text) as PreparedRequest, valueOf));
  const { method, path: endpoint } = slice;
  await mcp.call('record_call', { collection_id, operation_key, method, endpoint, status_code: response.status });
  return { operation, rank, status: response.status, responseText: await response.text() };
};

const dataOf = ({ data, text, isError }: ToolResult): Readonly<Record<string, unknown>> => {
  if (isError || !data) throw new Error(text);
  return data;
};

/** Returns the required arguments, except those that the credential fills in. */
const argumentsFor = ({ parameters, request_body: body, authentication }: Slice): JsonObject => {
  const isCredential = ({ in: location, name }: Slice['parameters'][number]): boolean =>
    (authentication?.[0] ?? []).some(
      (credential) => credential.in === location && credential.name?.toLowerCase() === name.toLowerCase(),
    );
  const required = parameters.filter((parameter) => parameter.required && !isCredential(parameter));
  const values = required.map(({ name, schema, example }) => [name, example ?? sampleOf(schema)] as const);
  return { ...Object.fromEntries(values), ...(body ? bodyArgumentsFor(body) : {}) };
};

const bodyArgumentsFor = ({ schema, example, content_type: type }: NonNullable<Slice['request_body']>): JsonObject => {
  const sample = example !== undefined && isJsonObject(example) ? example : sampleOf(schema);
  const isText = !/json|form/.test(type ?? '');
  if (isText) return { body: 'x' };
  return isJsonObject(sample) && !isJsonArray(sample) && hasProperties(schema) ? sample : { body: sample };
};

/** Whether the members of a body are arguments of their own. */
const hasProperties = (schema: Json | undefined): boolean =>
  isJsonObject(schema) && isJsonObject(schema['properties']) && !('oneOf' in schema) && !('anyOf' in schema);

const toFetchArguments = (
  { method, url, headers, body, credentials }: PreparedRequest,
  valueOf: (credential: Credential) => string,
): [URL, RequestInit] => {
  const address = new URL(url);
  const allHeaders = new Headers([...headers]);
  for (const credential of credentials) {
    const { in: location, name, prefix } = credential;
    const value = `${prefix ?? ''}${valueOf(credential)}`;
    if (name === null) continue;
    if (location === 'query') address.searchParams.append(name, value);
    else if (location === 'cookie') allHeaders.append('Cookie', `${name}=${value}`);
    else if (location === 'header') allHeaders.set(name, value);
  }
  const content = body && ('text' in body ? body.text : Buffer.from(body.base64, 'base64'));
  return [address, { method, headers: allHeaders, ...(content === null ? {} : { body: content }) }];
};
