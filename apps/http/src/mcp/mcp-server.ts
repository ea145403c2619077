import type { IncomingMessage } from 'node:http';
import type * as McpSdk from '@modelcontextprotocol/server';
import { toJsonResponse, toReadyResponse, type RouteResponse } from '../responses/route-response.ts';
import { instructions } from './instructions.ts';
import { explainError } from './explain-error.ts';
import { parseJson } from './convert-argument.ts';
import type { ToolContext, ToolResult } from './tool.ts';
import { tools } from './tools/table.ts';

type Sdk = typeof McpSdk;

/** A JSON-RPC request or notification. */
export type Message = Readonly<Record<string, unknown>> & { readonly method: string };

interface McpCall extends ToolContext {
  readonly message: Message;
  readonly request: Pick<IncomingMessage, 'headers'>;
  /** The service's name and version, as shown to clients. */
  readonly service: { readonly name: string; readonly version: string };
}

/** The SDK is loaded when the first message arrives, because loading takes a tenth of a second. */
let pendingSdk: Promise<Sdk> | null = null;
const loadSdk = (): Promise<Sdk> => (pendingSdk ??= import('@modelcontextprotocol/server'));

/**
 * Handles one message of the Model Context Protocol, revision 2026-07-28 or an earlier one with `initialize`. Each
 * message gets a separate server, so there are no sessions and no state is kept about a caller. If an error fails the
 * whole request, throws it to be handled as on every other route.
 */
export const handleMessage = async (call: McpCall): Promise<RouteResponse> => {
  const message = parseArguments(call.message);
  // The list of tools is fixed, so there is nothing to subscribe to.
  if (message.method === 'subscriptions/listen') return createMethodNotFoundResponse(message);
  const sdk = await loadSdk();
  const failures: Error[] = [];
  const recordFailure = (error: unknown): void => {
    failures.push(error instanceof Error ? error : new Error('Not an Error object', { cause: error }));
  };
  const server = createServer(sdk, call, recordFailure);
  const request = toWebRequest(call.request);
  const response = (await sdk.isLegacyRequest(request, message))
    ? await handleLegacyMessage(sdk, server, request, message)
    : await sdk.createMcpHandler(() => server, { legacy: 'reject' }).fetch(request, { parsedBody: message });
  const [failure] = failures;
  if (failure) throw failure;
  const body = await response.text();
  if (response.status >= 500) throw new Error(`The MCP server failed: ${body}`);
  return toReadyResponse(body, {}, response.status);
};

/** Returns the message with the arguments of a tool as an object: some models send them as JSON text. */
const parseArguments = (message: Message): Message => {
  const params = message['params'] as { readonly arguments?: unknown } | null | undefined;
  if (message.method !== 'tools/call' || typeof params?.arguments !== 'string') return message;
  const value = parseJson(params.arguments);
  return typeof value === 'object' && value !== null
    ? { ...message, params: { ...params, arguments: value } }
    : message;
};

/** Handles a message of a protocol revision before 2026-07-28. */
const handleLegacyMessage = async (
  sdk: Sdk,
  server: McpSdk.Server,
  request: Request,
  message: Message,
): Promise<Response> => {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
};

const toolList = tools.map(({ name, description, inputSchema, isReadOnly, isDestructive = false }) => ({
  name,
  description,
  inputSchema,
  annotations: isReadOnly ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: isDestructive },
}));

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** Tools can be cached for long, because they change only with the service's version. */
const cacheHint = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const createServer = (
  sdk: Sdk,
  { service, useCases, principal, consoleUrl }: McpCall,
  recordFailure: (error: unknown) => void,
): McpSdk.Server => {
  const server = new sdk.Server(service, {
    capabilities: { tools: {} },
    instructions,
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  });
  server.setRequestHandler('tools/list', () => ({ tools: toolList }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = toolsByName.get(params.name);
    if (!tool) {
      const names = toolList.map(({ name }) => name).join(', ');
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Unknown tool. There are: ${names}`);
    }
    try {
      return toCallResult(await tool.call({ useCases, principal, consoleUrl }, params.arguments));
    } catch (error) {
      const explanation = explainError(error);
      if (explanation === null) recordFailure(error);
      return { content: contentOf([explanation ?? '']), isError: true };
    }
  });
  return server;
};

/** Returns the result for clients. Data is also sent as text, as JSON, because some clients read only one of the two. */
const toCallResult = (result: ToolResult) => {
  if (result.data) return { content: contentOf([JSON.stringify(result.data)]), structuredContent: result.data };
  const { text, note } = result;
  return { content: contentOf(note ? [text, note] : [text]) };
};

const contentOf = (texts: readonly string[]) => texts.map((text) => ({ type: 'text' as const, text }));

const createMethodNotFoundResponse = ({ id = null }: Message): RouteResponse =>
  toJsonResponse({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }, {}, 404);

const forwardedHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Returns the parts of the request that the protocol reads: without credentials, and accepting JSON, the only format
 * sent.
 */
const toWebRequest = ({ headers }: Pick<IncomingMessage, 'headers'>): Request => {
  const forwardedRequestHeaders = new Headers({ accept: 'application/json, text/event-stream' });
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') forwardedRequestHeaders.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers: forwardedRequestHeaders });
};
