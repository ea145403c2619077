import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes as scopeNames, type Ports, type Scope } from '@portico/domain';
import { openApiDocument, routes } from '../../src/index.ts';
import { scopesOfBody, scopesOfQuery } from '../../src/requests/scoped-parts.ts';
import type { Route } from '../../src/route.ts';
import { httpSettings } from '../start-in-memory.ts';
import type { Aim } from './endpoint.ts';
import { presented, rows, send, type Row } from './request.ts';
import { startOnMemory } from './start-on-memory.ts';
import { createWorld, type World } from './world.ts';

/** What has been done since this was cleared. */
const done = new Set<string>();

/** Notes each call of a method, by what it is an effect of. */
const watched = <Watched extends object>(
  target: Watched,
  effectsOf: (method: string, given: readonly unknown[]) => readonly string[],
): Watched =>
  new Proxy(target, {
    get: (_, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return (...given: readonly unknown[]): unknown => {
        for (const effect of effectsOf(name, given)) done.add(effect);
        return Reflect.apply(method, target, given);
      };
    },
  });

/** Every request does these, or they find out what its path names. */
const ofEveryRequest: readonly string[] = ['admit', 'readTarget', 'findProfileByEmail', 'findGroup'];

/** A use case, or what it is given to write or look for: both `createGroup` and `updateGroup` may set `Group.tier`. */
const effectsOfUseCase = (name: string, [, ...given]: readonly unknown[]): readonly string[] => {
  if (ofEveryRequest.includes(name)) return [];
  const fields = given
    .filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
    .flatMap((one) => Object.entries(one as object))
    .flatMap(([field, value]) => (value === undefined || value === null ? [] : [field]));
  return fields.length > 0 ? fields.map((field) => `${name.replace(/^[a-z]+/, '')}.${field}`) : [name];
};

/** Those that hold one subject each, which nothing else is named by. */
const ports = ['usage', 'audit', 'limits', 'limiter', 'accessMatrix', 'operations'] as const satisfies (keyof Ports)[];
const watchedPorts = (all: Ports): Partial<Ports> =>
  Object.fromEntries(ports.map((name) => [name, watched(all[name], () => [`port ${name}`])]));

const described = JSON.parse(JSON.stringify(openApiDocument(routes, httpSettings))) as {
  paths: Record<string, Record<string, Operation>>;
};
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly items?: { enum?: string[] } } }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example: object }> };
}

/** The request with every field that has an example, and every word that a list in the query may have. */
const withEverything = ({ path, method }: Row, aim: Aim): Aim => {
  const { parameters = [], requestBody } = described.paths[path]?.[method.toLowerCase()] ?? {};
  const lists = parameters.flatMap(({ name, schema: { items } }) =>
    items?.enum ? [`${name}=${items.enum.join()}`] : [],
  );
  const example = requestBody?.content['application/json']?.example;
  return {
    ...aim,
    ...(lists.length > 0 ? { query: `?${lists.join('&')}` } : {}),
    ...(example ? { json: { ...example, ...(aim.json as object | undefined) } } : {}),
  };
};

const scopesOf = (row: Row, { query = '', json = {} }: Aim): readonly Scope[] => {
  const route = routes.find(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}` === row.name) as Route;
  const parts = [...scopesOfQuery(route, query), ...scopesOfBody(route, json as Readonly<Record<string, unknown>>)];
  return [...(row.scope === null ? [] : [row.scope]), ...parts];
};

interface Doer {
  readonly request: string;
  readonly scopes: readonly Scope[];
}

let world: World;
beforeAll(async () => {
  world = await createWorld(
    await startOnMemory({ useCases: (menu) => watched(menu, effectsOfUseCase), ports: watchedPorts }),
  );
});
afterAll(() => world.close());

test('whatever a service account can do takes one and the same scope by every route', async () => {
  const doers = new Map<string, Doer[]>();
  const admin = await presented(world, 'the first admin');
  for (const row of rows.filter(({ scope }) => scope !== null)) {
    for (const isWhole of [false, true]) {
      const plain = await (row.freshAim ?? row.aim)(world);
      const aim = isWhole ? withEverything(row, plain) : plain;
      done.clear();
      await send(world, row, aim, admin);
      for (const effect of done)
        doers.set(effect, [...(doers.get(effect) ?? []), { request: row.name, scopes: scopesOf(row, aim) }]);
    }
  }
  const isApart = (all: readonly Doer[]): boolean =>
    !scopeNames.some((scope) => all.every(({ scopes }) => scopes.includes(scope)));
  expect(Object.fromEntries([...doers].filter(([, all]) => isApart(all)))).toEqual({});
  expect([...doers.keys()]).toEqual(
    expect.arrayContaining(['Group.tier', 'assignTier', ...ports.map((name) => `port ${name}`)]),
  );
});
