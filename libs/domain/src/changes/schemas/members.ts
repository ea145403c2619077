import type { Json } from '../../json.ts';
import { matchesPattern } from '../../operations/patterns.ts';
import type { Form } from './form.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';

/**
 * Which of two sets a node describes: where it is unknown whether a pattern matches a name, the narrow set gets larger
 * and the wide one smaller, so that the narrow one is never contained by mistake.
 */
export type Role = 'narrow' | 'wide';

/** Returns the names that `properties` declare. */
export const declaredNamesOf = ({ members }: Form): readonly string[] =>
  members.length === 1
    ? Object.keys(members[0]?.properties ?? {})
    : [...new Set(members.flatMap(({ properties }) => Object.keys(properties)))];

export const isDeclared = ({ members }: Form, name: string): boolean =>
  members.some(({ properties }) => Object.hasOwn(properties, name));

/** Returns the only schema that a member has; undefined if several may apply, or none. */
export const declarationOf = ({ members }: Form, name: string): Json | undefined => {
  const [part] = members;
  const isOnly = part !== undefined && members.length === 1 && part.patterns.length === 0;
  return isOnly && Object.hasOwn(part.properties, name) ? part.properties[name] : undefined;
};

/** Returns the node of the member with that name. */
export const memberNodeOf = (space: SchemaSpace, { members }: Form, name: string, role: Role): SchemaNode => {
  const schemas: (Json | undefined)[] = [];
  for (const { properties, patterns, other } of members) {
    const isOwn = Object.hasOwn(properties, name);
    if (isOwn) schemas.push(properties[name]);
    let isOther = !isOwn;
    for (const [pattern, schema] of patterns) {
      const matches = matchesPattern(pattern, name);
      if (matches || (matches === null && role === 'wide')) schemas.push(schema);
      if (matches || (matches === null && role === 'narrow')) isOther = false;
    }
    if (isOther) schemas.push(other);
  }
  return space.nodeOf(...schemas);
};

/** Returns the node of the members that are neither declared nor match a pattern. */
export const otherNodeOf = (space: SchemaSpace, { members }: Form): SchemaNode =>
  space.nodeOf(...members.map(({ other }) => other));

/** Returns the patterns of names, each with the node of the members that match it alone. */
export const patternNodesOf = (space: SchemaSpace, { members }: Form): ReadonlyMap<string, SchemaNode> => {
  const names = new Set(members.flatMap(({ patterns }) => patterns.map(([pattern]) => pattern)));
  const schemasOf = (name: string): readonly (Json | undefined)[] =>
    members.map(({ patterns, other }) => {
      const own = patterns.find(([pattern]) => pattern === name);
      return own ? own[1] : other;
    });
  return new Map([...names].map((name) => [name, space.nodeOf(...schemasOf(name))]));
};

/** Returns the number of items that have schemas of their own. */
export const firstItemsOf = ({ items }: Form): number => Math.max(0, ...items.map(({ first }) => first.length));

/** Returns the node of the item at an index. */
export const itemNodeOf = (space: SchemaSpace, { items }: Form, index: number): SchemaNode =>
  space.nodeOf(...items.map(({ first, rest }) => (index < first.length ? first[index] : rest)));

/** Returns the node of all items after those with schemas of their own. */
export const restNodeOf = (space: SchemaSpace, form: Form): SchemaNode => itemNodeOf(space, form, Infinity);

/** Whether a node accepts everything. */
export const acceptsAll = ({ fragments }: SchemaNode): boolean =>
  fragments.every(
    ({ keywords, isNever, isOpaque }) => !isNever && !isOpaque && [...keywords.keys()].every(isAnnotation),
  );

const annotations = new Set(['description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);
for (const name of ['contentEncoding', 'contentMediaType', 'discriminator']) annotations.add(name);

export const isAnnotation = (name: string): boolean => annotations.has(name);

/**
 * Returns the nodes of all combinations of alternatives, which together accept the same; null if there are more than
 * `max`.
 */
export const branchesOf = (space: SchemaSpace, node: SchemaNode, max: number): readonly SchemaNode[] | null => {
  const visited = new Set<string>();
  const branches: SchemaNode[] = [];
  for (const branch of listBranches(space, node, visited, 4 * max)) if (branches.push(branch) > max) return null;
  return visited.size > 4 * max ? null : branches;
};

/** Returns the first combinations of alternatives that may accept something. */
export const firstBranchesOf = (space: SchemaSpace, node: SchemaNode, max: number): readonly SchemaNode[] => {
  const branches: SchemaNode[] = [];
  for (const branch of listBranches(space, node, new Set(), 4 * max))
    if (!branch.form.isNever && branches.push(branch) === max) break;
  return branches;
};

/**
 * Lists combinations of alternatives, until there are too many nodes. A schema that is its own alternative adds
 * nothing.
 */
function* listBranches(
  space: SchemaSpace,
  node: SchemaNode,
  visited: Set<string>,
  visitedMax: number,
): Generator<SchemaNode, undefined> {
  if (visited.has(node.key) || visited.size > visitedMax) return;
  visited.add(node.key);
  const [union] = node.form.unions;
  if (!union) yield node;
  else
    for (const member of union.members)
      yield* listBranches(space, space.chooseMember(node, union, member), visited, visitedMax);
}
