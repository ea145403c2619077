import { z } from 'zod';
import { json } from '../src/answers/answer.ts';
import { routes } from '../src/index.ts';
import { defineRoute, type Route } from '../src/route.ts';

export const mcpPath = '/mcp';

/** Tells who was admitted. It stands in for the MCP endpoint, which is admitted by the same code. */
const standIn = defineRoute({
  method: 'POST',
  path: mcpPath,
  operation: 'standIn',
  summary: 'Tells who calls',
  description: 'By token, access token or key.',
  auth: 'token or key',
  acceptsAccessTokens: true,
  status: 200,
  response: z.object({ profile_id: z.string() }),
  handler: ({ caller }) => json({ profile_id: caller.principal.profile.id }),
});

/** All routes, with a stand-in for the MCP endpoint while there is none. */
export const routesWithMcp: readonly Route[] = routes.some(({ path }) => path === mcpPath)
  ? routes
  : [...routes, { ...standIn, tag: 'Service' }];
