import type { JsonObject } from '@portico/domain';
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
  readonly url: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonObject | null;
  }[];
  readonly request_body: { readonly content_type: string | null; readonly schema: JsonObject | null } | null;
}

interface CredentialToSend {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
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
 * its description, gets the credential, fills in the required parameters with values that the schemas allow, calls the
 * API, and records the call. Returns null if `isExpected` accepts no result.
 */
export const performTask = async (
  mcp: McpClient,
  task: string,
  isExpected: (candidate: OperationSummary) => boolean,
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
  const { send } = dataOf(await mcp.call('read_credential', { collection_id })) as {
    readonly send: CredentialToSend | null;
  };
  const response = await fetch(...requestOf(slice, send));
  const { method, path: endpoint } = slice;
  await mcp.call('record_call', { collection_id, operation_key, method, endpoint, status_code: response.status });
  return { operation, rank, status: response.status, responseText: await response.text() };
};

const dataOf = ({ data, text, isError }: ToolResult): Readonly<Record<string, unknown>> => {
  if (isError || !data) throw new Error(text);
  return data;
};

const requestOf = (
  { method, url, parameters, request_body: body }: Slice,
  send: CredentialToSend | null,
): [URL, RequestInit] => {
  const required = parameters.filter((parameter) => parameter.required && parameter.name !== send?.name);
  const values = new Map(required.map(({ name, schema }) => [name, textOf(sampleOf(schema))]));
  const address = new URL(
    url.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? 'x')),
  );
  const headers = new Headers(body?.content_type ? { 'Content-Type': body.content_type } : {});
  const addParameter = (location: string, name: string, value: string): void => {
    if (location === 'query') address.searchParams.append(name, value);
    else if (location === 'cookie') headers.append('Cookie', `${name}=${value}`);
    else if (location === 'header') headers.set(name, value);
  };
  for (const { name, in: location } of required) addParameter(location, name, values.get(name) ?? '');
  if (send) addParameter(send.in, send.name, send.value);
  return [address, { method, headers, ...(body ? { body: bodyOf(body) } : {}) }];
};

const bodyOf = ({ content_type: type, schema }: NonNullable<Slice['request_body']>): string => {
  const sample = sampleOf(schema);
  if (!/form-urlencoded/.test(type ?? '')) return JSON.stringify(sample);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(sample as JsonObject)) fields.set(name, textOf(value));
  return fields.toString();
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
