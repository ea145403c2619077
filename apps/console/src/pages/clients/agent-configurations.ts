import { words } from '../../words/words.ts';

const text = words.clients.agent;

/** Text to copy, labelled with its kind or its file. */
export interface Snippet {
  readonly label: string;
  readonly text: string;
}

/** The configuration of a Model Context Protocol client for this service. */
export interface AgentConfiguration {
  readonly key: string;
  readonly name: string;
  readonly hint: string | null;
  readonly snippets: readonly Snippet[];
}

/** Returns the key as one string with a placeholder for the secret, which is not stored in readable form. */
export const createPlaceholderKey = (clientId: string | null): string => `${clientId ?? 'CLIENT_ID'}.YOUR_SECRET`;

const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);

/**
 * Returns configurations for common clients, each of which reads the key from its secret storage. See `docs/agents.md`.
 */
export const createAgentConfigurations = (origin: string, clientId: string | null): readonly AgentConfiguration[] => {
  const url = `${origin}/mcp`;
  return [
    {
      key: 'claude-code',
      name: text.claudeCode,
      hint: null,
      snippets: [
        {
          label: text.claudeCodeCommand,
          text: `claude mcp add --transport http portico ${url} --header "X-API-Key: $PORTICO_KEY"`,
        },
        {
          label: text.claudeCodeTeam,
          text: formatJson({
            mcpServers: { portico: { type: 'http', url, headers: { 'X-API-Key': '${PORTICO_KEY}' } } },
          }),
        },
      ],
    },
    {
      key: 'claude',
      name: text.claude,
      hint: text.claudeHint,
      snippets: [
        { label: text.address, text: url },
        { label: text.claudeHeader, text: `X-API-Key: ${createPlaceholderKey(clientId)}` },
      ],
    },
    {
      key: 'vs-code',
      name: text.code,
      hint: text.codeHint,
      snippets: [{ label: text.codeFile, text: formatJson(createCodeConfiguration(url)) }],
    },
    {
      key: 'cursor',
      name: text.cursor,
      hint: null,
      snippets: [
        {
          label: text.cursorFile,
          text: formatJson({ mcpServers: { portico: { url, headers: { 'X-API-Key': '${env:PORTICO_KEY}' } } } }),
        },
      ],
    },
    {
      key: 'openai',
      name: text.openai,
      hint: null,
      snippets: [{ label: text.openaiFile, text: createOpenaiProgram(url) }],
    },
    {
      key: 'curl',
      name: text.curl,
      hint: null,
      snippets: [
        { label: text.curlMcp, text: createCurlCommand(url, toolCall) },
        { label: text.curlRest, text: createCurlCommand(`${origin}/api/operations/search`, { query }) },
      ],
    },
  ];
};

const createCodeConfiguration = (url: string) => ({
  inputs: [{ type: 'promptString', id: 'portico-key', description: 'Portico API key', password: true }],
  servers: { portico: { type: 'http', url, headers: { 'X-API-Key': '${input:portico-key}' } } },
});

const createOpenaiProgram = (url: string): string => `import asyncio
import os

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp

portico = {"url": "${url}", "headers": {"X-API-Key": os.environ["PORTICO_KEY"]}}


async def main():
    async with MCPServerStreamableHttp(params=portico, cache_tools_list=True) as server:
        agent = Agent(name="Assistant", mcp_servers=[server])
        print((await Runner.run(agent, "Which of my APIs sends text messages?")).final_output)


asyncio.run(main())`;

const query = 'send a text message';

const toolCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_operations', arguments: { query } },
};

const createCurlCommand = (url: string, body: unknown): string =>
  `curl ${url} -H "X-API-Key: $PORTICO_KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
