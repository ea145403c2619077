import type { Route } from './route.ts';

/** The routes of one path, by method. */
export type MethodTable = ReadonlyMap<string, Route>;

/** What a request's path names. */
export interface FoundPath {
  readonly methods: MethodTable;
  readonly params: Readonly<Record<string, string>>;
}

/** The routes of each path of a table; a trailing slash makes no difference. */
export const byPath = (table: readonly Route[]): ReadonlyMap<string, MethodTable> => {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of table) {
    const path = route.path.replace(/(?<=.)\/$/, '');
    const methods = paths.get(path) ?? new Map<string, Route>();
    paths.set(path, methods.set(route.method, route));
  }
  return paths;
};

interface Branch {
  readonly literals: Map<string, Branch>;
  parameter: { readonly name: string; readonly branch: Branch } | null;
  methods: MethodTable | null;
}

const createBranch = (): Branch => ({ literals: new Map(), parameter: null, methods: null });

/** Its path has no escape nor anything else that would have to be decoded or removed. */
const plainTarget = /^(?:\/[A-Za-z0-9._~-]+)+\/?(?:\?|$)/;

/**
 * Prepares the look-up of a request target, one step for each segment of its path. It knows the usual targets only:
 * null says that Express's own router must judge. What it finds is what that router would find.
 */
export const createRouteLookup = (paths: ReadonlyMap<string, MethodTable>): ((target: string) => FoundPath | null) => {
  const root = createBranch();
  for (const [path, methods] of paths) if (!path.includes('*')) plant(root, path, methods);

  return (target) => {
    if (!plainTarget.test(target)) return null;
    const query = target.indexOf('?');
    const end = query < 0 ? target.length : query;
    let branch = root;
    const params: Record<string, string> = {};
    for (let from = 1; from < end;) {
      const slash = target.indexOf('/', from);
      const to = slash < 0 || slash > end ? end : slash;
      const segment = target.slice(from, to);
      const literal = branch.literals.get(segment);
      if (literal) branch = literal;
      else if (branch.parameter) {
        params[branch.parameter.name] = segment;
        ({ branch } = branch.parameter);
      } else return null;
      from = to + 1;
    }
    return branch.methods && { methods: branch.methods, params };
  };
};

const segmentsOf = (path: string): readonly string[] => path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');

const plant = (root: Branch, path: string, methods: MethodTable): void => {
  let branch = root;
  for (const segment of segmentsOf(path)) {
    if (segment.startsWith(':')) {
      const name = segment.slice(1);
      branch.parameter ??= { name, branch: createBranch() };
      if (branch.parameter.name !== name) throw new Error(`${path}: its place has the name ${branch.parameter.name}`);
      ({ branch } = branch.parameter);
    } else {
      const next = branch.literals.get(segment) ?? createBranch();
      branch.literals.set(segment, next);
      branch = next;
    }
  }
  branch.methods = methods;
};
