import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes as scopeNames, type Ports, type Scope } from '@portico/domain';
import { buildOpenApiDocument, routes } from '../../src/index.ts';
import { scopesOfBody, scopesOfQuery } from '../../src/requests/scoped-parts.ts';
import type { Route } from '../../src/route.ts';
import { httpSettings } from '../start-in-memory.ts';
import type { Target } from './endpoint.ts';
import { credentialOf, rows, send, type Row } from './request.ts';
import { startOnMemory } from './start-on-memory.ts';
import { createWorld, type World } from './world.ts';

/** The effects since this set was cleared. */
const effects = new Set<string>();

/** Wraps an object to record the effects of each method call. */
const watchPort = <Port extends object>(
  object: Port,
  effectsOf: (method: string, parameters: readonly unknown[]) => readonly string[],
): Port =>
  new Proxy(object, {
    get: (_, name) => {
      const method: unknown = Reflect.get(object, name);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return (...parameters: readonly unknown[]): unknown => {
        for (const effect of effectsOf(name, parameters)) effects.add(effect);
        return Reflect.apply(method, object, parameters);
      };
    },
  });

/** Methods that every request calls, or that resolve path parameters. */
const commonMethods: readonly string[] = ['admit', 'readTarget', 'findProfileByEmail', 'findGroup'];

/**
 * Returns the fields that a use case writes or queries, or its name if there are none: both `createGroup` and
 * `updateGroup` may set `Group.tier`.
 */
const effectsOfUseCase = (name: string, [, ...parameters]: readonly unknown[]): readonly string[] => {
  if (commonMethods.includes(name)) return [];
  const fields = parameters
    .filter((part) => typeof part === 'object' && part !== null && !Array.isArray(part))
    .flatMap((part) => Object.entries(part as object))
    .flatMap(([field, value]) => (value === undefined || value === null ? [] : [field]));
  return fields.length > 0 ? fields.map((field) => `${name.replace(/^[a-z]+/, '')}.${field}`) : [name];
};

/** The ports for a single subject that no other effect identifies. */
const ports = ['usage', 'audit', 'limits', 'limiter', 'accessMatrix', 'operations'] as const satisfies (keyof Ports)[];
const watchPorts = (allPorts: Ports): Partial<Ports> =>
  Object.fromEntries(ports.map((name) => [name, watchPort(allPorts[name], () => [`port ${name}`])]));

const document = JSON.parse(JSON.stringify(buildOpenApiDocument(routes, httpSettings))) as {
  paths: Record<string, Record<string, Operation>>;
};
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly items?: { enum?: string[] } } }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example: object }> };
}

/** Returns the target with every field of the example body, and with every allowed value of the lists in the query. */
const addAllParts = ({ path, method }: Row, target: Target): Target => {
  const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
  const lists = parameters.flatMap(({ name, schema: { items } }) =>
    items?.enum ? [`${name}=${items.enum.join()}`] : [],
  );
  const example = requestBody?.content['application/json']?.example;
  return {
    ...target,
    ...(lists.length > 0 ? { query: `?${lists.join('&')}` } : {}),
    ...(example ? { json: { ...example, ...(target.json as object | undefined) } } : {}),
  };
};

const scopesOf = (row: Row, { query = '', json = {} }: Target): readonly Scope[] => {
  const route = routes.find(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}` === row.name) as Route;
  const parts = [...scopesOfQuery(route, query), ...scopesOfBody(route, json as Readonly<Record<string, unknown>>)];
  return [...(row.scope === null ? [] : [row.scope]), ...parts];
};

interface ScopedRequest {
  readonly request: string;
  readonly scopes: readonly Scope[];
}

let world: World;
beforeAll(async () => {
  world = await createWorld(
    await startOnMemory({ useCases: (useCases) => watchPort(useCases, effectsOfUseCase), ports: watchPorts }),
  );
});
afterAll(() => world.close());

test('each effect requires the same scope of a service account on every route', async () => {
  const requestsByEffect = new Map<string, ScopedRequest[]>();
  const admin = await credentialOf(world, 'the first admin');
  for (const row of rows.filter(({ scope }) => scope !== null)) {
    for (const isComplete of [false, true]) {
      const plainTarget = await (row.freshTarget ?? row.target)(world);
      const target = isComplete ? addAllParts(row, plainTarget) : plainTarget;
      effects.clear();
      await send(world, row, target, admin);
      for (const effect of effects)
        requestsByEffect.set(effect, [
          ...(requestsByEffect.get(effect) ?? []),
          { request: row.name, scopes: scopesOf(row, target) },
        ]);
    }
  }
  const lacksCommonScope = (requests: readonly ScopedRequest[]): boolean =>
    !scopeNames.some((scope) => requests.every(({ scopes }) => scopes.includes(scope)));
  expect(Object.fromEntries([...requestsByEffect].filter(([, requests]) => lacksCommonScope(requests)))).toEqual({});
  expect([...requestsByEffect.keys()]).toEqual(
    expect.arrayContaining(['Group.tier', 'assignTier', ...ports.map((name) => `port ${name}`)]),
  );
});
