import { expect, test } from 'vitest';
import { toJsonResponse } from './responses/route-response.ts';
import { defineRoute } from './route.ts';

const baseRoute = {
  method: 'GET',
  path: '/x',
  operation: 'x',
  summary: '',
  description: '',
  status: 200,
  response: null,
  handler: () => toJsonResponse({}),
} as const;

test('a route that identifies its caller declares a scope for service accounts, or that no service account may call it', () => {
  expect(defineRoute({ ...baseRoute, auth: 'admin', scope: 'audit:read' }).scope).toBe('audit:read');
  expect(defineRoute({ ...baseRoute, auth: 'admin', scope: null }).scope).toBeNull();
  for (const auth of ['free', 'open'] as const) expect(defineRoute({ ...baseRoute, auth }).scope).toBeNull();
  // This code tests the types and is never run.
  void (() => [
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...baseRoute, auth: 'admin' }),
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...baseRoute, auth: 'token' }),
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...baseRoute, auth: 'token or key' }),
    // @ts-expect-error There is no such scope.
    defineRoute({ ...baseRoute, auth: 'admin', scope: 'audit:write' }),
    // @ts-expect-error No caller is identified.
    defineRoute({ ...baseRoute, auth: 'free', scope: 'audit:read' }),
  ]);
});

test('only a route that does not allow service accounts has the authority of a person', () => {
  const { scope } = defineRoute({
    ...baseRoute,
    auth: 'admin',
    scope: null,
    handler: async ({ useCases, caller }) => {
      await useCases.listServiceAccounts(caller.authority);
      return toJsonResponse({});
    },
  });
  expect(scope).toBeNull();
  void (() =>
    defineRoute({
      ...baseRoute,
      auth: 'admin',
      scope: 'access:write',
      handler: async ({ useCases, caller }) => {
        // @ts-expect-error A service account may call.
        await useCases.listServiceAccounts(caller.authority);
        return toJsonResponse({});
      },
    }));
});
