import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ValueError } from '../errors.ts';
import type { Argument } from './operation-arguments.ts';
import { resolveReference, type Source } from './references.ts';
import type { RequestDescription } from './request-description.ts';
import { createNode, type SchemaNode } from './schema-node.ts';
import { escapeToken } from './validate-arguments.ts';

/** The arguments by the names of the tool, and the errors in their names. */
export interface NamedArguments {
  readonly values: ReadonlyMap<string, NamedArgument>;
  /** Members that the document does not describe, of a body that explicitly allows them. */
  readonly otherMembers: ReadonlyMap<string, Json>;
  readonly errors: readonly ValueError[];
}

interface NamedArgument {
  readonly value: Json;
  /** Where the caller passed it. */
  readonly pointer: string;
}

/**
 * Accepts the names of the document besides those of the tool, where they are unique, and the members of a body within
 * `body`: a caller may have read the slice. A member within `body` is never a parameter.
 */
export function nameArguments(
  { source, body }: RequestDescription,
  args: readonly Argument[],
  values: JsonObject,
): NamedArguments {
  const valuesByKey = new Map<string, NamedArgument>();
  const otherMembers = new Map<string, Json>();
  const errors: ValueError[] = [];
  const bodyArguments = args.filter(({ in: location }) => location === 'body');
  const [allNames, bodyNames] = [new ArgumentNames(args), new ArgumentNames(bodyArguments)];
  const isFlat = bodyArguments.some(({ name }) => name !== '');
  const isOpen = isFlat && Boolean(body?.content?.schema && allowsOtherMembers(source, body.content.schema));
  const add = (names: ArgumentNames, name: string, value: Json, pointer: string): void => {
    const argument = names.find(name);
    const other = argument && valuesByKey.get(argument.key);
    if (other) errors.push({ pointer, message: `is also at ${other.pointer}` });
    else if (argument) valuesByKey.set(argument.key, { value, pointer });
    else if (isOpen) otherMembers.set(name, value);
    else errors.push({ pointer, message: `is unknown: ${names.describe()}` });
  };
  for (const [name, value] of Object.entries(values)) {
    const pointer = `/${escapeToken(name)}`;
    if (name !== 'body' || !isFlat || !isJsonObject(value) || allNames.hasKey(name))
      add(allNames, name, value, pointer);
    else
      for (const [member, memberValue] of Object.entries(value))
        add(bodyNames, member, memberValue, `${pointer}/${escapeToken(member)}`);
  }
  return { values: valuesByKey, otherMembers, errors };
}

const namesMax = 50;

/** Finds arguments by their names in the tool, else by those in the document that are unique. */
class ArgumentNames {
  readonly #byKey: ReadonlyMap<string, Argument>;
  /** Null for a name that several arguments have. */
  readonly #byName = new Map<string, Argument | null>();

  constructor(args: readonly Argument[]) {
    this.#byKey = new Map(args.map((argument) => [argument.key, argument]));
    for (const argument of args) this.#byName.set(argument.name, this.#byName.has(argument.name) ? null : argument);
  }

  hasKey(name: string): boolean {
    return this.#byKey.has(name);
  }

  find(name: string): Argument | undefined {
    return this.#byKey.get(name) ?? this.#byName.get(name) ?? undefined;
  }

  describe(): string {
    const keys = [...this.#byKey.keys()].slice(0, namesMax);
    return keys.length === 0 ? 'this operation has no arguments' : `the arguments are ${keys.join(', ')}`;
  }
}

const openDepthMax = 5;

/** Whether a schema says explicitly that an object may have further members; all schemas allow them by default. */
const allowsOtherMembers = (source: Source, { parts }: SchemaNode, depth = 0): boolean =>
  depth < openDepthMax &&
  parts.some(({ value, trail }) => {
    const { schema, trail: inner } = resolveReference(source, value, trail);
    const allOf = typeof schema === 'boolean' ? [] : (schema['allOf'] ?? []);
    return (
      (typeof schema !== 'boolean' && schema['additionalProperties'] === true) ||
      (isJsonArray(allOf) && allOf.some((part) => allowsOtherMembers(source, createNode(part, inner), depth + 1)))
    );
  });
