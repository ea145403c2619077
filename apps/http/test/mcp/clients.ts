import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What a call of a tool returned, as a model reads it. */
export interface ToolResult {
  readonly text: string;
  /** The parts of the text. */
  readonly texts: readonly string[];
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** An official client, connected. */
export interface McpClient {
  readonly listTools: () => Promise<readonly { readonly name: string }[]>;
  readonly call: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
  readonly instructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

export type Connect = (baseUrl: string, headers: Readonly<Record<string, string>>) => Promise<McpClient>;

const me = { name: 'test', version: '1' };

const resultOf = (result: object): ToolResult => {
  const { content, isError, structuredContent } = result as {
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: ToolResult['data'];
  };
  const texts = (content ?? []).map(({ text }) => text ?? '');
  return {
    text: texts.join('\n'),
    texts,
    isError: isError ?? false,
    data: structuredContent ?? null,
  };
};

const connectCurrent =
  (mode: 'legacy' | 'auto' | { readonly pin: string }): Connect =>
  async (baseUrl, headers) => {
    const client = new Client(me, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit: { headers } }));
    return {
      listTools: async () => (await client.listTools()).tools,
      call: async (name, given = {}) => resultOf(await client.callTool({ name, arguments: given })),
      instructions: () => client.getInstructions(),
      close: () => client.close(),
    };
  };

const connectEarlier: Connect = async (baseUrl, headers) => {
  const client = new EarlierClient(me);
  const transport = new EarlierTransport(new URL('/mcp', baseUrl), { requestInit: { headers } });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => resultOf(await client.callTool({ name, arguments: given })),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
};

/** By what it speaks. */
export const clients: Readonly<Record<string, Connect>> = {
  'revision 2026-07-28': connectCurrent({ pin: '2026-07-28' }),
  'the newest revision that both know': connectCurrent('auto'),
  'revision 2025-11-25': connectCurrent('legacy'),
  'the first line of the SDK': connectEarlier,
};
