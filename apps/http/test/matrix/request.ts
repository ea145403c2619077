import { routes } from '../../src/index.ts';
import type { Route, ScopedPart } from '../../src/route.ts';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { callers, type CallerName } from './callers.ts';
import type { Aim, Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import { shapeOf, type Shape } from './shapes.ts';
import { unknownId, type Person, type World } from './world.ts';

/** One row of the specification, with what its route says. */
export interface Row extends Endpoint, Pick<Route, 'auth' | 'scope' | 'status' | 'ofLocalIssuer' | 'refusesUnknown'> {
  /** `METHOD /path/{with}/{names}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The names of the path parameters. */
  readonly variables: readonly string[];
  readonly answer: Shape;
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
  const { auth, scope, scopedParts = [], status, ofLocalIssuer = false, refusesUnknown } = route;
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
  const answer = endpoint.answer ?? shapeOf(route);
  const unknown = refusesUnknown ? ['?none_of_these=1', '?none_of_these'] : [];
  const badQueries = [...(endpoint.badQueries ?? []), ...unknown];
  return {
    ...endpoint,
    badQueries,
    answer,
    refusesUnknown,
    auth,
    scope,
    scopedParts,
    status,
    ofLocalIssuer,
    name,
    method,
    path,
    variables,
  };
});

export const pathOf = ({ path }: Pick<Row, 'path'>, { params = {}, query = '' }: Aim): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? unknownId) + query;

/** Adds a trailing slash to a path that has none, and removes it from one that has. */
export const twinOf = (path: string): string => {
  const [bare = '', query] = path.split('?');
  const twin = bare.endsWith('/') ? bare.slice(0, -1) : `${bare}/`;
  return query === undefined ? twin : `${twin}?${query}`;
};

/** Sends the request of an aim; a body in `options` replaces its own. */
export const send = ({ client }: World, row: Row, { json, ...aim }: Aim, options: CallOptions): Promise<Reply> => {
  const hasOther = options.raw !== undefined || json === undefined;
  return client.call(row.method, pathOf(row, aim), { ...(hasOther ? {} : { json }), ...options });
};

/** Returns the credential that a caller presents. */
export const presented = async (
  world: World,
  name: CallerName,
  person: Person = world.cast[callers[name].person],
): Promise<CallOptions> => callers[name].present(person, world);

/** Returns a caller that passes every check. */
export const welcome = ({ auth }: Row): CallerName => {
  switch (auth) {
    case 'free':
    case 'open':
      return 'an anonymous caller';
    case 'token':
      return 'a client with a grant, by token';
    case 'token or key':
      return 'a client with a grant, by key';
    case 'admin':
      return 'the first admin';
  }
};

/** Sends a valid request that succeeds, about a new object if it changes something. */
export const succeed = async (world: World, row: Row, change: (path: string) => string = (path) => path) => {
  const name = welcome(row);
  const person = await actorOf(world, row, name);
  const aim = await (row.freshAim ?? row.aim)(world);
  const options = { ...(await presented(world, name, person)), ...(aim.json === undefined ? {} : { json: aim.json }) };
  return { aim, options, reply: await world.client.call(row.method, change(pathOf(row, aim)), options) };
};

/** Returns who sends a request that succeeds: a new person if the request changes its caller. */
export const actorOf = async ({ cast, make, granted }: World, row: Row, name: CallerName): Promise<Person> => {
  const { person } = callers[name];
  return row.changesCaller ? make.person(person, granted) : cast[person];
};

/** Whether the service has this endpoint at all. */
export const isServed = ({ service }: World, { ofLocalIssuer }: Row): boolean => !ofLocalIssuer || service.isIssuer;
