import { expectEqual, formatBytes, printChapter, printLine, print } from './format.ts';

/** The key pair of the agent's profile. */
export interface AgentKey {
  readonly clientId: string;
  readonly secret: string;
}

interface SearchResult {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly operation_key: string;
  readonly method: string;
  readonly path: string;
  readonly score: number;
}

interface SearchResults {
  readonly confidence: string;
  readonly operations: readonly SearchResult[];
}

interface OperationDetails {
  readonly url: string;
  readonly curl: string;
}

interface Credential {
  readonly send: { readonly in: string; readonly name: string; readonly value: string } | null;
}

const task = 'will it rain tomorrow';
const expectedOperation = 'GET /forecast/hourly of Nimbara Weather';
/** The values that a language model would derive from the task. */
const parameters = { lat: '38.72', lon: '-9.14' };

/** Runs one task as an agent would: finds the operation, reads how to call it, calls it, and records the call. */
export const runAgentTask = async (address: string, { clientId, secret }: AgentKey): Promise<void> => {
  printChapter('6. Her agent runs a task over MCP (POST /mcp), with its key as one string in X-API-Key.');
  const headers = { 'x-api-key': `${clientId}.${secret}`, 'content-type': 'application/json' };
  const mcp = createMcpClient(`${address}/mcp`, headers);

  const { text: responseText, result } = await mcp<{ tools: readonly { name: string }[] }>('tools/list', {});
  printLine('tools/list', `${result.tools.length} tools in ${formatBytes(responseText)}`);

  const search = await mcp.call<SearchResults>('search_operations', { query: task });
  const [bestResult] = search.data.operations;
  if (!bestResult) throw new Error(`No operation was found for "${task}"`);
  printLine(`search_operations "${task}"`, `${search.data.confidence} ${sizeInBrackets(search.text)}`);
  printLine(
    '',
    `${bestResult.score.toFixed(2)} ${expectEqual(`${bestResult.method} ${bestResult.path} of ${bestResult.collection_name}`, expectedOperation)}`,
  );

  const { collection_id, operation_key, method, path } = bestResult;
  const details = await mcp.call<OperationDetails>('describe_operation', { collection_id, operation_key });
  const document = await fetch(`${address}/api/collections/${collection_id}/openapi.json`, { headers });
  printLine('describe_operation', `everything needed for a call ${sizeInBrackets(details.text)}, at most 8 KB`);
  printLine('', `regardless of the document's size; this one has ${formatBytes(await document.text())}`);
  printLine('', details.data.curl);

  const { send } = (await mcp.call<Credential>('read_credential', { collection_id })).data;
  printLine('read_credential', `send ${JSON.stringify(send)}`);

  const url = new URL(details.data.url);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (send?.in === 'query') url.searchParams.set(send.name, send.value);
  const response = await fetch(url, { method });
  if (!response.ok) throw new Error(`${method} ${path} of the API returned ${response.status}`);
  printLine(`${method} ${path}  of the API itself`, `${response.status} ${await response.text()}`);

  const call = { collection_id, operation_key, method, endpoint: path, status_code: response.status };
  const { recorded } = (await mcp.call<{ readonly recorded: boolean }>('record_call', call)).data;
  printLine('record_call', expectEqual(recorded ? 'Recorded' : 'Not recorded', 'Recorded'));

  print('\n   APIs without a grant are not found:');
  const searchWithoutGrant = await mcp.call<SearchResults>('search_operations', { query: 'send a text message' });
  printLine(
    'search_operations "send a text message"',
    expectEqual(
      searchWithoutGrant.data.confidence.replace(/(?<=\.) .*/, ''),
      'None of the operations that you may use matches.',
    ),
  );
};

const sizeInBrackets = (text: string): string => `(${formatBytes(text)})`;

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/**
 * Returns a function that sends messages of the Model Context Protocol and throws if one is rejected. `text` is the raw
 * response.
 */
const createMcpClient = (url: string, headers: Readonly<Record<string, string>>) => {
  const send = async <Result>(message: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: message, params });
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${message} returned ${response.status}: ${text}`);
    return { text, result: (JSON.parse(text) as { readonly result: Result }).result };
  };
  const call = async <Data>(name: string, input: object) => {
    const { text, result } = await send<ToolResult>('tools/call', { name, arguments: input });
    const contentText = result.content[0]?.text ?? '';
    if (result.isError) throw new Error(`${name} failed: ${contentText}`);
    const data = (result.structuredContent ?? JSON.parse(contentText)) as Data;
    return { text, data };
  };
  return Object.assign(send, { call });
};
