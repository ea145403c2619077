import { agree, bytesOf, chapter, line, say } from './told.ts';

/** The key pair of the agent's profile. */
export interface AgentKey {
  readonly clientId: string;
  readonly secret: string;
}

interface Found {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly operation_key: string;
  readonly method: string;
  readonly path: string;
  readonly score: number;
}

interface Described {
  readonly url: string;
  readonly curl: string;
}

interface Api {
  readonly send: { readonly in: string; readonly name: string; readonly value: string };
}

const wish = 'will it rain tomorrow';
const sought = 'GET /forecast/hourly of Nimbara Weather';
/** What a language model would fill in from the wish. */
const place = { lat: '38.72', lon: '-9.14' };

/** Does one task as an agent does it: finds the operation, reads how to call it, calls it, and records the call. */
export const doTask = async (address: string, { clientId, secret }: AgentKey): Promise<void> => {
  chapter('6. Her agent does a task over MCP (POST /mcp), with its key as one string in X-API-Key.');
  const headers = { 'x-api-key': `${clientId}.${secret}`, 'content-type': 'application/json' };
  const mcp = messages(`${address}/mcp`, headers);

  const { text: listed, result } = await mcp<{ tools: readonly { name: string }[] }>('tools/list', {});
  line('tools/list', `${result.tools.length} tools in ${bytesOf(listed)}`);

  const search = await mcp.call<{ operations: readonly Found[] }>('search_operations', { query: wish });
  const [best] = search.data.operations;
  if (!best) throw new Error(`No operation was found for "${wish}"`);
  line(`search_operations "${wish}"`, `${search.words} ${inBrackets(search.text)}`);
  line('', `${best.score.toFixed(2)} ${agree(`${best.method} ${best.path} of ${best.collection_name}`, sought)}`);

  const { collection_id, operation_key, method, path } = best;
  const described = await mcp.call<Described>('describe_operation', { collection_id, operation_key });
  const document = await fetch(`${address}/api/collections/${collection_id}/openapi.json`, { headers });
  line('describe_operation', `all that a call needs ${inBrackets(described.text)}, at most 8 KB`);
  line('', `however large the document is; this one has ${bytesOf(await document.text())}`);
  line('', described.data.curl);

  const { data: api } = await mcp.call<Api>('get_api', { collection_id, include_credential: true });
  line('get_api, include_credential', `send ${JSON.stringify(api.send)}`);

  const url = new URL(described.data.url);
  for (const [name, value] of Object.entries(place)) url.searchParams.set(name, value);
  if (api.send.in === 'query') url.searchParams.set(api.send.name, api.send.value);
  const answer = await fetch(url, { method });
  if (!answer.ok) throw new Error(`${method} ${path} of the API returned ${answer.status}`);
  line(`${method} ${path}  of the API itself`, `${answer.status} ${await answer.text()}`);

  const call = { collection_id, operation_key, method, endpoint: path, status_code: answer.status };
  line('record_call', (await mcp.call('record_call', call)).words.replace(/ at .*/, ''));

  say('\n   What was not granted to her is not found:');
  const hidden = await mcp.call('search_operations', { query: 'send a text message' });
  line(
    'search_operations "send a text message"',
    agree(hidden.words.replace(/(?<=\.) .*/, ''), 'No operation that you may use fits.'),
  );
};

const inBrackets = (answer: string): string => `(${bytesOf(answer)})`;

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Sends messages of the Model Context Protocol; throws if one is refused. `text` is the answer as it came. */
const messages = (url: string, headers: Readonly<Record<string, string>>) => {
  const send = async <Result>(message: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: message, params });
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${message} returned ${response.status}: ${text}`);
    return { text, result: (JSON.parse(text) as { readonly result: Result }).result };
  };
  const call = async <Data>(name: string, given: object) => {
    const { text, result } = await send<ToolResult>('tools/call', { name, arguments: given });
    const words = result.content[0]?.text ?? '';
    if (result.isError) throw new Error(`${name} was refused: ${words}`);
    const data = (result.structuredContent ?? JSON.parse(words)) as Data;
    return { text, words: words.split('\n')[0] ?? '', data };
  };
  return Object.assign(send, { call });
};
