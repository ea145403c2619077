// node docs/agents/agent.mts "send a text message" '{"account": "A1", "to": "+15550100", "text": "Hello"}'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [query, values = '{}'] = process.argv.slice(2);
const portico = new Client({ name: 'agent', version: '1.0.0' });
const requestInit = { headers: { 'X-API-Key': process.env.PORTICO_KEY ?? '' } };
const mcp = new URL('/mcp', process.env.PORTICO_URL ?? 'http://127.0.0.1:3000');
await portico.connect(new StreamableHTTPClientTransport(mcp, { requestInit }));
const tool = async (name: string, input: object): Promise<any> => {
  const { content, structuredContent, isError } = await portico.callTool({ name, arguments: { ...input } });
  const text = content[0]?.type === 'text' ? content[0].text : '';
  if (isError) throw new Error(text);
  return structuredContent ?? JSON.parse(text);
};

const [best] = (await tool('search_operations', { query })).operations;
if (!best) throw new Error('No operation matches');
const { collection_id, operation_key, path } = best;
const input = { collection_id, operation_key, arguments: JSON.parse(values) };
const result = await tool('call_operation', input).catch((error: Error) => {
  if (!error.message.includes('prepare_call')) throw error;
});
if (result) {
  console.log(result.status ?? result.hint, result.body?.text ?? '');
  process.exit();
}

// The catalog makes no calls: this program sends the request.
const call = await tool('prepare_call', input);

const [url, headers] = [new URL(call.url), new Headers(call.headers)];
for (const { scheme, stored } of call.credentials) {
  const { send } = stored ? await tool('read_credential', { collection_id, scheme }) : { send: null };
  if (send?.in === 'header') headers.set(send.name, send.value);
  if (send?.in === 'query')
    url.search += `${url.search ? '&' : '?'}${new URLSearchParams({ [send.name]: send.value })}`;
  if (send?.in === 'cookie')
    headers.set('Cookie', [headers.get('Cookie') ?? [], `${send.name}=${send.value}`].flat().join('; '));
}
const body = call.body && (call.body.text ?? Buffer.from(call.body.base64, 'base64'));
const response = await fetch(url, { method: call.method, headers, body });
await tool('record_call', {
  collection_id,
  operation_key,
  method: call.method,
  endpoint: path,
  status_code: response.status,
});
console.log(response.status, await response.text());
