import { z } from 'zod';
import { defineRoute, type RouteRow } from '../route.ts';
import { answerMessage } from './mcp-server.ts';

/** Further members are the protocol's to judge. */
const message = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });

export const mcpRoutes: readonly RouteRow[] = [
  defineRoute({
    method: 'POST',
    path: '/mcp',
    operation: 'answerMcpMessage',
    summary: 'The Model Context Protocol',
    description: 'Describes itself in the protocol, by `server/discover` and `tools/list`.',
    hidden: true,
    auth: 'token or key',
    sameOrigin: true,
    bodyKind: 'json',
    body: message,
    status: 200,
    response: null,
    handler: ({ useCases, caller: { principal }, service: { name, version }, body: { fields }, request }) =>
      answerMessage({ useCases, principal, message: fields, request, service: { name, version } }),
  }),
];
