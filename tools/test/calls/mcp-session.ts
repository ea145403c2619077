import type { ApprovedClient } from '../clients.ts';

const revision = '2026-07-28';

export interface ToolAnswer {
  readonly isError: boolean;
  readonly texts: readonly string[];
}

/** A client of `/mcp` that records every message in both directions. */
export interface McpSession {
  readonly call: (tool: string, args: object) => Promise<ToolAnswer>;
  readonly messages: readonly string[];
}

export const createMcpSession = (address: string, { key }: ApprovedClient): McpSession => {
  const messages: string[] = [];
  let id = 0;
  const send = async (method: string, params: { readonly name?: string }): Promise<unknown> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } });
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'X-API-Key': `${key.clientId}.${key.secret}`,
        'MCP-Protocol-Version': revision,
        'Mcp-Method': method,
        ...(params.name === undefined ? {} : { 'Mcp-Name': params.name }),
      },
      body,
    });
    const text = await response.text();
    messages.push(body, text);
    const { result } = JSON.parse(text) as { readonly result?: unknown };
    if (result === undefined) throw new Error(`${response.status} ${text}`);
    return result;
  };
  return {
    call: async (name, args) => {
      const { isError = false, content } = (await send('tools/call', { name, ...{ arguments: args } })) as {
        readonly isError?: boolean;
        readonly content: readonly { readonly text: string }[];
      };
      return { isError, texts: content.map(({ text }) => text) };
    },
    messages,
  };
};
