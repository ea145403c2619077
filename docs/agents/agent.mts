// node docs/agents/agent.mts "send a text message" '{"account": "A1"}' '{"to": "+15550100", "text": "Hello"}'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [query, values = '{}', body] = process.argv.slice(2);
const args = JSON.parse(values);
const portico = new Client({ name: 'agent', version: '1.0.0' });
const requestInit = { headers: { 'X-API-Key': process.env.PORTICO_KEY ?? '' } };
const mcp = new URL('/mcp', process.env.PORTICO_URL ?? 'http://127.0.0.1:3000');
await portico.connect(new StreamableHTTPClientTransport(mcp, { requestInit }));
const tool = async (name: string, input: object): Promise<any> => {
  const { content, structuredContent, isError } = await portico.callTool({ name, arguments: { ...input } });
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent ?? JSON.parse(content[0]?.type === 'text' ? content[0].text : '');
};

const fail = (reason: string): never => {
  throw new Error(reason);
};

const bestMatch = (await tool('search_operations', { query })).operations[0] ?? fail('No operation matches');
const { collection_id, operation_key } = bestMatch;
const { method, path, url, parameters } = await tool('describe_operation', { collection_id, operation_key });
const { send } = await tool('read_credential', { collection_id });

const valueOf = (name: string) => encodeURIComponent(args[name] ?? fail(`${name} is missing`));
const address = new URL(url.replace(/\{([^{}]+)\}/g, (_: string, name: string) => valueOf(name)));
const headers = new Headers(body ? { 'Content-Type': 'application/json' } : {});
const setters: Record<string, { set(name: string, value: string): void }> = {
  query: address.searchParams,
  header: headers,
};
for (const { name, in: location } of parameters) if (name in args) setters[location]?.set(name, args[name]);
if (send) setters[send.in]?.set(send.name, send.value);
const response = await fetch(address, { method, headers, body });
await tool('record_call', { collection_id, operation_key, method, endpoint: path, status_code: response.status });
console.log(response.status, await response.text());
