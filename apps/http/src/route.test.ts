import { expect, test } from 'vitest';
import { json } from './responses/route-response.ts';
import { defineRoute } from './route.ts';

const facts = {
  method: 'GET',
  path: '/x',
  operation: 'x',
  summary: '',
  description: '',
  status: 200,
  response: null,
  handler: () => json({}),
} as const;

test('a route that identifies its caller declares the scope for service accounts, or that none may call', () => {
  expect(defineRoute({ ...facts, auth: 'admin', scope: 'audit:read' }).scope).toBe('audit:read');
  expect(defineRoute({ ...facts, auth: 'admin', scope: null }).scope).toBeNull();
  for (const auth of ['free', 'open'] as const) expect(defineRoute({ ...facts, auth }).scope).toBeNull();
  // This code tests the types and is never run.
  void (() => [
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...facts, auth: 'admin' }),
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...facts, auth: 'token' }),
    // @ts-expect-error The scope is not declared.
    defineRoute({ ...facts, auth: 'token or key' }),
    // @ts-expect-error There is no such scope.
    defineRoute({ ...facts, auth: 'admin', scope: 'audit:write' }),
    // @ts-expect-error No caller is identified.
    defineRoute({ ...facts, auth: 'free', scope: 'audit:read' }),
  ]);
});

test('only a route without service accounts has the authority of a person', () => {
  const { scope } = defineRoute({
    ...facts,
    auth: 'admin',
    scope: null,
    handler: async ({ useCases, caller }) => {
      await useCases.listServiceAccounts(caller.authority);
      return json({});
    },
  });
  expect(scope).toBeNull();
  void (() =>
    defineRoute({
      ...facts,
      auth: 'admin',
      scope: 'access:write',
      handler: async ({ useCases, caller }) => {
        // @ts-expect-error A service account may call.
        await useCases.listServiceAccounts(caller.authority);
        return json({});
      },
    }));
});
