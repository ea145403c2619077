import { z } from 'zod';
import { toReadyResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { argumentBytesMax } from '../routes/prepared-requests.ts';
import { createLlmsTxt } from './llms-txt.ts';
import { handleMessage } from './mcp-server.ts';

/** A message; the protocol's implementation validates the other members. */
const message = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });

export const agentRoutes = [
  defineRoute({
    method: 'POST',
    path: '/mcp',
    operation: 'answerMcpMessage',
    summary: 'The Model Context Protocol',
    description: 'Describes itself in the protocol, by `server/discover` and `tools/list`.',
    isHidden: true,
    auth: 'token or key',
    scope: null,
    acceptsAccessTokens: true,
    requiresSameOrigin: true,
    bodyKind: 'json',
    bodyBytesMax: argumentBytesMax,
    body: message,
    status: 200,
    response: null,
    handler: ({ useCases, caller: { principal }, service, body: { fields }, request }) =>
      handleMessage({
        useCases,
        principal,
        message: fields,
        request,
        service: { name: service.name, version: service.version },
        consoleUrl: service.readConsoleUrl(request),
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/llms.txt',
    operation: 'readGuideForAgents',
    summary: 'A guide for agents without the Model Context Protocol',
    description: 'A page in Markdown.',
    auth: 'free',
    status: 200,
    mediaType: 'text/plain',
    response: z.string(),
    handler: ({ service }) =>
      toReadyResponse(createLlmsTxt(service.name), { 'Content-Type': 'text/plain; charset=utf-8' }),
  }),
] as const;
