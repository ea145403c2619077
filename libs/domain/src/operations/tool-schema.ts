import { isJsonArray, type Json } from '../json.ts';
import type { Draft, DraftObject } from './draft.ts';
import type { Growth, Part, Position } from './growth.ts';
import { compareNumbers, isInteger, isNumber, toNumber } from './numbers.ts';
import { enqueueText, ranks, type Level } from './schema-growth.ts';
import {
  createNode,
  joinNodes,
  propertiesOf,
  requiredNamesOf,
  typesOf,
  type Schema,
  type SchemaNode,
} from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The strictest documented limits (docs/tool-formats.md). */
export const toolLimits = {
  levels: 5,
  enumValues: 1_000,
  enumValuesEach: 250,
  propertyNameCharacters: 64,
  nameCharacters: 64,
  descriptionCharacters: 1_024,
};

const formats = new Set(['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri']);
for (const name of ['int32', 'int64', 'float', 'double', 'byte']) formats.add(name);
/** Common names of other formats. */
const formatAliases: Readonly<Record<string, string>> = { url: 'uri' };

const valueCharactersMax = 300;

/** Two lists of alternatives become one list of up to this many combinations. */
const combinationsMax = 16;

/** Additional members of a top-level property, besides those of its schema. */
export interface ExtraMembers {
  readonly leadingMembers?: DraftObject;
  /** Describes the property if its schema does not. */
  readonly description?: string | null;
  /** The size of the property's name in the list of required properties, in bytes. */
  readonly extraBytes?: number;
}

/**
 * Adds schemas to a growing tool, in the subset of JSON Schema that tools accept (docs/tool-formats.md). Other keywords
 * are omitted, but prepared requests are checked with them.
 */
export class ToolSchemaGrowth {
  readonly #growth: Growth;
  readonly #reader: SchemaReader;
  #enumValues = 0;

  constructor(growth: Growth, reader: SchemaReader) {
    this.#growth = growth;
    this.#reader = reader;
  }

  enqueue(rank: number, place: Position, node: SchemaNode, level: Level, extraMembers: ExtraMembers = {}): void {
    const { leadingMembers = new Map<string, Draft | null>(), extraBytes = 0 } = extraMembers;
    this.#growth.enqueue({
      rank,
      place,
      build: () => ({ ...this.#buildPart(place, node, level, leadingMembers, extraMembers.description), extraBytes }),
    });
  }

  #buildPart(
    place: Position,
    node: SchemaNode,
    level: Level,
    leadingMembers: DraftObject,
    description: string | null = null,
  ): Part {
    const schema = this.#reader.read(node);
    const draft: DraftObject = new Map();
    const deferred: (() => void)[] = [];
    if (node.name !== undefined) draft.set('title', JSON.stringify(node.name.toWellFormed()));
    writeTypes(draft, schema);
    this.#writeValues(place, draft, schema, description, level, deferred);
    this.#writeMembers(place, draft, schema, level, deferred);
    this.#writeNode(place, draft, schema, 'additionalProperties', level, deferred);
    this.#writeNode(place, draft, schema, 'items', level, deferred);
    if (draft.get('type') === '"array"' && !draft.has('items')) draft.set('items', '{}');
    this.#writeAlternatives(place, draft, schema, level, deferred);
    for (const [name, member] of leadingMembers) draft.set(name, member);
    for (const reason of schema.missing) deferred.push(() => this.#growth.truncate(place, reason));
    return { draft, fallback: new Map(leadingMembers), onAdded: () => deferred.forEach((enqueue) => enqueue()) };
  }

  #writeValues(
    parent: Position,
    draft: DraftObject,
    { values }: Schema,
    description: string | null,
    level: Level,
    deferred: (() => void)[],
  ): void {
    const positionOf = (key: string): Position => ({ parent, container: draft, key, isKeyword: true });
    const statedFormat = values.get('format');
    const format = typeof statedFormat === 'string' ? (formatAliases[statedFormat] ?? statedFormat) : '';
    if (formats.has(format)) draft.set('format', JSON.stringify(format));
    draft.set('description', null);
    const text = values.get('description') ?? description ?? undefined;
    deferred.push(() => enqueueText(this.#growth, ranks.membersAt(level.depth) + 2, positionOf('description'), text));
    this.#writeEnum(draft, values);
    for (const [name, value] of values) {
      if (name === 'exclusiveMinimum' || name === 'exclusiveMaximum') writeBound(draft, name, value, values);
      else if (valueKeywords.has(name) && !draft.has(name)) writeValue(draft, name, value);
    }
    const [example] = (values.get('examples') ?? []) as readonly Json[];
    if (example === undefined) return;
    draft.set('examples', null);
    const build = () => ({ draft: JSON.stringify([example]), fallback: null });
    deferred.push(() => this.#growth.enqueue({ rank: ranks.examples, place: positionOf('examples'), build }));
  }

  #writeMembers(parent: Position, draft: DraftObject, schema: Schema, level: Level, deferred: (() => void)[]): void {
    const declared = propertiesOf(schema);
    // The alternatives then list the required members.
    if (declared.size === 0 && this.#listAlternatives(schema).length > 0) return;
    // A tool's required members must be listed, even if the document does not describe them.
    const undeclared = [...requiredNamesOf(schema)].filter((name) => !declared.has(name));
    const properties = [...declared, ...undeclared.map((name) => [name, createNode({})] as const)].filter(
      ([, node]) => !isFalse(node),
    );
    if (properties.length === 0) return;
    const position: Position = { parent, container: draft, key: 'properties', isKeyword: true };
    if (!draft.has('type') && !draft.has('anyOf')) draft.set('type', '"object"');
    if (level.depth + 1 >= toolLimits.levels) {
      deferred.push(() => this.#growth.truncate(position));
      return;
    }
    const members: DraftObject = new Map();
    draft.set('properties', members);
    const required = requiredNamesOf(schema);
    // Lists all of them at first, to reserve space for their names; names that are missing at the end are then not
    // required.
    const names = properties.map(([name]) => name);
    draft.set('required', JSON.stringify([...required].filter((name) => names.includes(name))));
    this.#growth.onFinish(() => {
      const presentNames = [...required].filter((name) => members.has(name));
      if (presentNames.length > 0) draft.set('required', JSON.stringify(presentNames));
      else draft.delete('required');
    });
    deferred.push(() => {
      const sorted = properties.sort((a, b) => Number(required.has(b[0])) - Number(required.has(a[0])));
      if (sorted.length > this.#growth.partsLeft) this.#growth.truncate(position);
      for (const [name, node] of sorted.slice(0, this.#growth.partsLeft)) {
        const place: Position = { parent: position, container: members, key: name, isKeyword: false };
        const depth = level.depth + 1;
        const isRequired = required.has(name);
        const rank =
          isRequired && level.isRequired ? ranks.requiredMembers : ranks.membersAt(depth) + (isRequired ? 0 : 1);
        this.enqueue(rank, place, node, { depth, isRequired: level.isRequired && isRequired });
      }
    });
  }

  /** Writes the schema of items, or of additional members. */
  #writeNode(
    parent: Position,
    draft: DraftObject,
    { nodes }: Schema,
    key: 'items' | 'additionalProperties',
    level: Level,
    deferred: (() => void)[],
  ): void {
    const node = nodes.get(key);
    if (!node) return;
    if (key === 'additionalProperties' && isFalse(node)) return void draft.set(key, 'false');
    if (key === 'additionalProperties' && node.parts.every(({ value }) => value === true)) return;
    draft.set(key, '{}');
    const position: Position = { parent, container: draft, key, isKeyword: true };
    if (level.depth + 1 >= toolLimits.levels) {
      deferred.push(() => this.#growth.truncate(position));
      return;
    }
    const rank = level.isRequired ? ranks.requiredMembers : ranks.membersAt(level.depth + 1);
    deferred.push(() => this.enqueue(rank, position, node, { ...level, depth: level.depth + 1 }));
  }

  /** Writes the alternatives: all of them, or none. */
  #writeAlternatives(
    parent: Position,
    draft: DraftObject,
    schema: Schema,
    level: Level,
    deferred: (() => void)[],
  ): void {
    const nodes = this.#listAlternatives(schema).map((node) => this.#addMembers(node, schema));
    if (draft.has('anyOf') || nodes.length === 0) return;
    const position: Position = { parent, container: draft, key: 'anyOf', isKeyword: true };
    if (level.depth + 1 >= toolLimits.levels) {
      deferred.push(() => this.#growth.truncate(position));
      return;
    }
    const placeholders: Draft[] = nodes.map(() => '{}');
    draft.set('anyOf', null);
    this.#growth.onFinish(() => {
      if (placeholders.includes('{}') && nodes.some((node) => !isTrue(node))) draft.delete('anyOf');
    });
    const rank = level.isRequired ? ranks.alternatives : ranks.membersAt(level.depth) + 1;
    const onAdded = () => {
      for (const [index, node] of nodes.entries()) {
        const place: Position = { parent: position, container: placeholders, key: index, isKeyword: false };
        this.enqueue(rank, place, node, { depth: level.depth + 1, isRequired: false });
      }
    };
    deferred.push(() =>
      this.#growth.enqueue({ rank, place: position, build: () => ({ draft: placeholders, fallback: null, onAdded }) }),
    );
  }

  /** Returns all alternatives; where several lists apply, their combinations. */
  #listAlternatives(schema: Schema): readonly SchemaNode[] {
    const lists: (readonly SchemaNode[])[] = [];
    for (const { lists: others } of [schema, ...this.#remainderOf(schema)])
      for (const keyword of ['oneOf', 'anyOf']) if (others.has(keyword)) lists.push(others.get(keyword) ?? []);
    let combinations: readonly SchemaNode[] = [];
    for (const [index, list] of lists.entries()) {
      if (index > 0 && combinations.length * list.length > combinationsMax) break;
      combinations =
        index === 0 ? list : combinations.flatMap((node) => list.map((added) => combineAlternatives(node, added)));
    }
    return combinations;
  }

  #remainderOf = (schema: Schema): Schema[] => (schema.lists.get('allOf') ?? []).map((node) => this.#reader.read(node));

  /**
   * Completes the members of an alternative, because a tool's required members must be listed: adds the schemas of those
   * that it only requires, and requires those that a schema without members of its own requires.
   */
  #addMembers(node: SchemaNode, base: Schema): SchemaNode {
    const schema = this.#reader.read(node);
    const required = new Set([...requiredNamesOf(schema), ...this.#inheritedNamesOf(node, schema, base)]);
    const names = [...required].filter(
      (name) => !propertiesOf(schema).has(name) && (propertiesOf(base).has(name) || !requiredNamesOf(schema).has(name)),
    );
    if (names.length === 0 && required.size === requiredNamesOf(schema).size) return node;
    const properties = new Map(propertiesOf(schema));
    for (const name of names) properties.set(name, propertiesOf(base).get(name) ?? createNode({}));
    const maps = new Map(schema.maps).set('properties', properties);
    const values = new Map(schema.values).set('required', [...required]);
    return { parts: [], ...(node.name === undefined ? {} : { name: node.name }), schema: { ...schema, maps, values } };
  }

  #inheritedNamesOf(node: SchemaNode, schema: Schema, base: Schema): readonly string[] {
    const types = typesOf(schema);
    const isObject = types.length === 0 || types.includes('object');
    if (propertiesOf(base).size > 0 || !isObject) return [];
    const hiddenNames = this.#reader.hiddenNamesOf(node);
    return [...requiredNamesOf(base)].filter((name) => !hiddenNames.has(name));
  }

  #writeEnum(draft: DraftObject, values: Schema['values']): void {
    const constant = values.get('const');
    const list = constant === undefined ? values.get('enum') : [constant];
    if (!isJsonArray(list) || list.length > toolLimits.enumValuesEach) return;
    if (this.#enumValues + list.length > toolLimits.enumValues) return;
    // A part of the values would reject the others.
    if (list.some((item) => typeof item === 'object' && item !== null && !isNumber(item))) return;
    this.#enumValues += list.length;
    draft.set('enum', JSON.stringify(list));
    if (!draft.has('type') && list.every((item) => typeof item === 'string')) draft.set('type', '"string"');
  }
}

/** Joins two alternatives that must both apply. */
const combineAlternatives = (node: SchemaNode, added: SchemaNode): SchemaNode => {
  const names = [node.name, added.name].filter((name) => name !== undefined);
  const { parts } = joinNodes(node, added);
  return names.length === 0 ? { parts } : { parts, name: names.join(', ') };
};

const isFalse = ({ parts }: SchemaNode): boolean => parts.some(({ value }) => value === false);
const isTrue = ({ parts, schema }: SchemaNode): boolean =>
  !schema && parts.every(({ value }) => value === true || JSON.stringify(value) === '{}');

const valueKeywords = new Set([
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
]);

/** Writes a single type, or a single type and `null`; several types become alternatives. */
function writeTypes(draft: DraftObject, schema: Schema): void {
  const types = typesOf(schema);
  const [type] = types.filter((name) => name !== 'null');
  if (types.length === 1 || (types.length === 2 && types.includes('null')))
    draft.set('type', JSON.stringify(types.length === 1 ? types[0] : [type, 'null']));
  else if (types.length > 1)
    draft.set(
      'anyOf',
      types.map(
        (name) => new Map([['type', JSON.stringify(name)], ...(name === 'array' ? [['items', '{}'] as const] : [])]),
      ),
    );
}

/** Writes an exclusive bound as an inclusive one: exact for integers, slightly too wide for other numbers. */
function writeBound(draft: DraftObject, name: string, value: Json, values: Schema['values']): void {
  if (!isNumber(value)) return;
  const bound = name === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  const canStep = values.get('type') === 'integer' && isInteger(value) && Number.isSafeInteger(toNumber(value));
  const step = bound === 'minimum' ? 1 : -1;
  const exclusive = canStep ? toNumber(value) + step : value;
  const inclusive = values.get(bound);
  const isWider = isNumber(inclusive) && compareNumbers(exclusive, inclusive) * step < 0;
  draft.set(bound, JSON.stringify(isWider ? inclusive : exclusive));
}

function writeValue(draft: DraftObject, name: string, value: Json): void {
  const text = JSON.stringify(value);
  if (text.length <= valueCharactersMax) draft.set(name, text);
}
