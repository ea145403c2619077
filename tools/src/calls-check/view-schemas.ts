import {
  isObject,
  listAt,
  memberAt,
  NumberText,
  objectAt,
  stringAt,
  textsAt,
  type ObjectValue,
  type Value,
} from './json-text.ts';

/** Returns the names that every value of a schema in a view must have. References in views lead nowhere. */
export function requiredIn(schema: Value | undefined): ReadonlySet<string> {
  const names = new Set(textsAt(schema, 'required'));
  for (const part of listAt(schema, 'allOf')) for (const name of requiredIn(part)) names.add(name);
  for (const keyword of ['anyOf', 'oneOf']) {
    const [first, ...others] = listAt(schema, keyword).map(requiredIn);
    for (const name of first ?? []) if (others.every((other) => other.has(name))) names.add(name);
  }
  return names;
}

/** Returns the schemas of a member in a schema of a view, in its parts and in its alternatives. */
export const declarationsIn = (schema: Value | undefined, name: string): readonly Value[] => [
  ...[memberAt(memberAt(schema, 'properties'), name)].filter((value) => value !== undefined),
  ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
    listAt(schema, keyword).flatMap((part) => declarationsIn(part, name)),
  ),
];

/** Returns the paths that a schema of a view neither requires nor, if it has to, declares. */
export const missingPathsIn = (
  schema: Value | undefined,
  paths: readonly (readonly string[])[],
  declaresAll: boolean,
): readonly (readonly string[])[] =>
  paths.filter(([name = '', innerName]) => {
    const isUndeclared = declaresAll && declarationsIn(schema, name).length === 0;
    if (innerName === undefined) return !requiredIn(schema).has(name) || isUndeclared;
    const declarations = declarationsIn(schema, name);
    return !declarations.some((declaration) => requiredIn(declaration).has(innerName));
  });

/** The list of cuts of a slice. */
export class Cuts {
  readonly #entries: readonly { readonly pointer: string; readonly reason: string | null }[];

  constructor(slice: Value) {
    this.#entries = listAt(slice, 'truncated').map((entry) => ({
      // The parts of an `allOf` may be merged or not; the pointers of both are compared without it.
      pointer: (stringAt(entry, 'pointer') ?? '(no pointer)').replace(/\/allOf\/\d+/g, '').replace(/\/-$/, ''),
      reason: stringAt(entry, 'reason'),
    }));
  }

  /** Whether a value that is not in the slice is listed, itself or with its container. */
  covers(pointer: string): boolean {
    return this.#entries.some((entry) => pointer === entry.pointer || pointer.startsWith(`${entry.pointer}/`));
  }

  /** Whether a part of the value is listed as being in another file. */
  hasExternalIn(pointer: string): boolean {
    return this.#entries.some(
      (entry) =>
        entry.reason === 'external' &&
        (entry.pointer === '' || entry.pointer === pointer || entry.pointer.startsWith(`${pointer}/`)),
    );
  }
}

export const pointerOf = (path: readonly string[]): string =>
  path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** An argument of a tool. */
export interface ToolArgument {
  readonly key: string;
  readonly in: string | null;
  /** Empty for the whole body. */
  readonly name: string;
  readonly required: boolean;
  readonly schema: Value;
}

export function argumentsOf(tool: Value): readonly ToolArgument[] {
  const schema = objectAt(tool, 'input_schema');
  const required = textsAt(schema, 'required');
  return Object.entries(objectAt(schema, 'properties') ?? {}).map(([key, property]) => ({
    key,
    in: stringAt(property, 'x-portico-in'),
    name: stringAt(property, 'x-portico-name') ?? key,
    required: required.includes(key),
    schema: property,
  }));
}

/** Returns the schema of the body that the arguments of a tool describe; undefined if they have none. */
export function bodySchemaOf(tool: Value): Value | undefined {
  const members = argumentsOf(tool).filter((argument) => argument.in === 'body');
  const body = members.find(({ name }) => name === '');
  if (body || members.length === 0) return body?.schema;
  return {
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter(({ required }) => required).map(({ name }) => name),
  };
}

const describes = (tool: Value, pattern: RegExp): boolean => pattern.test(stringAt(tool, 'description') ?? '');

/** Whether the tool's description says that a part is missing. */
export const mentionsCuts = (tool: Value): boolean =>
  describes(tool, /\b(omitted|left out|leaves out|not shown|shortened|cut)\b/i);
/** Whether the tool's description says that a part is in another file. */
export const mentionsOtherFiles = (tool: Value): boolean => describes(tool, /\b(another|other) files?\b|\bexternal\b/i);

/** Calls `visit` for each schema below a schema of a view, with its path of member names. */
export function visitSchemas(schema: Value | undefined, visit: (schema: ObjectValue, path: Path) => void): void {
  const walk = (value: Value | undefined, path: Path): void => {
    if (!isObject(value)) return;
    visit(value, path);
    for (const [name, property] of Object.entries(objectAt(value, 'properties') ?? {})) walk(property, [...path, name]);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const part of listAt(value, keyword)) walk(part, path);
    walk(memberAt(value, 'items'), [...path, null]);
    walk(memberAt(value, 'additionalProperties'), [...path, undefined]);
  };
  walk(schema, []);
}

/** Names of members; null stands for the items of an array, and undefined for the other members of an object. */
export type Path = readonly (string | null | undefined)[];

/** Returns the texts of all numbers in a value. */
export function collectNumbers(value: Value, texts = new Set<string>()): Set<string> {
  if (value instanceof NumberText) texts.add(value.text);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values<Value>(value)) collectNumbers(part, texts);
  return texts;
}
