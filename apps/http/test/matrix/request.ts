import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { callers, type CallerName } from './callers.ts';
import type { Aim, Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import { unknownId, type Person, type World } from './world.ts';

/** One row of the specification. */
export interface Row extends Endpoint {
  /** `METHOD /path/{with}/{names}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The names that vary in the path. */
  readonly variables: readonly string[];
}

export const rows: readonly Row[] = Object.entries(endpoints).map(([name, endpoint]) => {
  const [method = '', path = ''] = name.split(' ');
  return { ...endpoint, name, method, path, variables: [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one) };
});

export const pathOf = ({ path }: Pick<Row, 'path'>, { params = {}, query = '' }: Aim): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? unknownId) + query;

/** The path with a slash at its end where it has none, and the other way round. */
export const twinOf = (path: string): string => {
  const [bare = '', query] = path.split('?');
  const twin = bare.endsWith('/') ? bare.slice(0, -1) : `${bare}/`;
  return query === undefined ? twin : `${twin}?${query}`;
};

/** Sends what is aimed at; a body of `options` takes the place of its own. */
export const send = ({ client }: World, row: Row, { json, ...aim }: Aim, options: CallOptions): Promise<Reply> => {
  const hasOther = options.raw !== undefined || json === undefined;
  return client.call(row.method, pathOf(row, aim), { ...(hasOther ? {} : { json }), ...options });
};

/** Whoever presents itself, and how. */
export const presented = async (
  world: World,
  name: CallerName,
  person: Person = world.cast[callers[name].person],
): Promise<CallOptions> => callers[name].present(person, world);

/** A caller that every check lets through. */
export const welcome = ({ auth }: Endpoint): CallerName => {
  switch (auth) {
    case 'free':
    case 'open':
      return 'no caller';
    case 'token':
      return 'a client with a grant, by token';
    case 'token or key':
      return 'a client with a grant, by key';
    case 'admin':
      return 'the first admin';
  }
};

/** A valid request that succeeds, about things of its own where it changes something. */
export const succeed = async (world: World, row: Row, change: (path: string) => string = (path) => path) => {
  const name = welcome(row);
  const person = await actorOf(world, row, name);
  const aim = await (row.freshAim ?? row.aim)(world);
  const options = { ...(await presented(world, name, person)), ...(aim.json === undefined ? {} : { json: aim.json }) };
  return { aim, options, reply: await world.client.call(row.method, change(pathOf(row, aim)), options) };
};

/** Whoever makes a request that succeeds: somebody new, where that changes its caller. */
export const actorOf = async ({ cast, make, granted }: World, row: Row, name: CallerName): Promise<Person> => {
  const { person } = callers[name];
  return row.changesCaller ? make.person(person, granted) : cast[person];
};

/** Whether the service has this endpoint at all. */
export const isServed = ({ service }: World, { ofIssuer }: Endpoint): boolean => !ofIssuer || service.isIssuer;
