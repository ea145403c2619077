import { routes } from '../../src/index.ts';
import type { Route, ScopedPart } from '../../src/route.ts';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { callers, type CallerName } from './callers.ts';
import type { Target, Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import { shapeOf, type Shape } from './shapes.ts';
import { unknownId, type Person, type World } from './world.ts';

/** A row of the specification, with the properties of its route. */
export interface Row
  extends Endpoint, Pick<Route, 'auth' | 'scope' | 'status' | 'requiresLocalIssuer' | 'rejectsUnknownParameters'> {
  /** `METHOD /path/{with}/{names}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The names of the path parameters. */
  readonly variables: readonly string[];
  readonly response: Shape;
  readonly badQueries: readonly string[];
  readonly scopedParts: readonly ScopedPart[];
}

const routesByName: ReadonlyMap<string, Route> = new Map(
  routes.map((route) => [`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`, route]),
);

export const rows: readonly Row[] = Object.entries(endpoints).map(([name, endpoint]) => {
  const [method = '', path = ''] = name.split(' ');
  const route = routesByName.get(name);
  if (!route) throw new Error(`There is no route ${name}`);
  const { auth, scope, scopedParts = [], status, requiresLocalIssuer = false, rejectsUnknownParameters } = route;
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, variable = '']) => variable);
  const response = endpoint.response ?? shapeOf(route);
  const unknownParameters = rejectsUnknownParameters ? ['?none_of_these=1', '?none_of_these'] : [];
  const badQueries = [...(endpoint.badQueries ?? []), ...unknownParameters];
  return {
    ...endpoint,
    badQueries,
    response,
    rejectsUnknownParameters,
    auth,
    scope,
    scopedParts,
    status,
    requiresLocalIssuer,
    name,
    method,
    path,
    variables,
  };
});

export const pathOf = ({ path }: Pick<Row, 'path'>, { params = {}, query = '' }: Target): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? unknownId) + query;

/** Adds a trailing slash to a path, or removes it. */
export const toggleTrailingSlash = (path: string): string => {
  const [withoutQuery = '', query] = path.split('?');
  const toggledPath = withoutQuery.endsWith('/') ? withoutQuery.slice(0, -1) : `${withoutQuery}/`;
  return query === undefined ? toggledPath : `${toggledPath}?${query}`;
};

/** Sends a request for a target. A body in `options` replaces the target's body. */
export const send = (
  { client }: World,
  row: Row,
  { json, ...target }: Target,
  options: CallOptions,
): Promise<Reply> => {
  const omitsJson = options.raw !== undefined || json === undefined;
  return client.call(row.method, pathOf(row, target), { ...(omitsJson ? {} : { json }), ...options });
};

/** Returns a caller's credential. */
export const credentialOf = async (
  world: World,
  name: CallerName,
  person: Person = world.people[callers[name].person],
): Promise<CallOptions> => callers[name].toCallOptions(person, world);

/** Returns a caller that passes every check. */
export const allowedCaller = ({ auth }: Row): CallerName => {
  switch (auth) {
    case 'free':
    case 'open':
      return 'an anonymous caller';
    case 'token':
      return 'a client with a grant, by token';
    case 'token or key':
      return 'a client with a grant, by key';
    case 'admin':
    case 'admin or owner':
      return 'the first admin';
  }
};

/** Sends a valid request that succeeds, for a new object if the request makes a change. */
export const sendValidRequest = async (world: World, row: Row, change: (path: string) => string = (path) => path) => {
  const name = allowedCaller(row);
  const person = await senderOf(world, row, name);
  const target = await (row.freshTarget ?? row.target)(world);
  const options = {
    ...(await credentialOf(world, name, person)),
    ...(target.json === undefined ? {} : { json: target.json }),
  };
  return { target, options, reply: await world.client.call(row.method, change(pathOf(row, target)), options) };
};

/** Returns the sender of a request that succeeds: a new person if the request changes its caller. */
export const senderOf = async ({ people, make, granted }: World, row: Row, name: CallerName): Promise<Person> => {
  const { person } = callers[name];
  return row.changesCaller ? make.person(person, granted) : people[person];
};

/** Whether the service has this endpoint. */
export const isServed = ({ service }: World, { requiresLocalIssuer }: Row): boolean =>
  !requiresLocalIssuer || service.isIssuer;
