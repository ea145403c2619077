import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Draft, DraftObject } from './draft.ts';
import type { Growth, Part, Position } from './growth.ts';
import { resolveReference, type Source, type Trail } from './references.ts';
import { enqueueText, ranks, type Level } from './schema-growth.ts';
import { isConstraint, translateSchema } from './schema-keywords.ts';

/**
 * The subset of JSON Schema that all common function tools accept (docs/tool-formats.md): how each keyword is written.
 * Other keywords are omitted: a caller may then send a value that the API rejects.
 */
export const toolKeywords: Readonly<
  Record<string, 'value' | 'type' | 'enum' | 'format' | 'text' | 'bound' | 'members' | 'items' | 'anyOf'>
> = {
  type: 'type',
  format: 'format',
  description: 'text',
  enum: 'enum',
  const: 'enum',
  default: 'value',
  minimum: 'value',
  maximum: 'value',
  exclusiveMinimum: 'bound',
  exclusiveMaximum: 'bound',
  minLength: 'value',
  maxLength: 'value',
  pattern: 'value',
  minItems: 'value',
  maxItems: 'value',
  properties: 'members',
  items: 'items',
  anyOf: 'anyOf',
  oneOf: 'anyOf',
};

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
for (const name of ['int32', 'int64', 'float', 'double']) formats.add(name);

const valueCharactersMax = 300;

export interface FlatSchema {
  readonly schema: JsonObject;
  readonly trail: Trail | null;
}

/** Returns a schema with its references resolved and its `allOf` merged; a circular one becomes empty. */
export function flattenSchema(
  source: Source,
  value: Json | undefined,
  trail: Trail | null,
  budget = { parts: partsMax },
): FlatSchema {
  const resolution = resolveReference(source, value, trail);
  if (typeof resolution.schema === 'boolean' || resolution.isCircular) return { schema: {}, trail: resolution.trail };
  const { allOf, ...ownKeywords } = Object.fromEntries(
    translateSchema(resolution.schema, source.dialect),
  ) as JsonObject & {
    allOf?: Json;
  };
  let [schema, joinedTrail]: [JsonObject, Trail | null] = [ownKeywords, resolution.trail];
  for (const part of isJsonArray(allOf) ? allOf : []) {
    if (budget.parts-- <= 0) break;
    const flat = flattenSchema(source, part, joinedTrail, budget);
    schema = merge(schema, flat.schema);
    joinedTrail = joinTrails(joinedTrail, flat.trail);
  }
  return { schema, trail: joinedTrail };
}

/** The maximum number of `allOf` parts that are merged into one schema, including nested ones. */
const partsMax = 200;

/** Joins the steps of both trails, because the parts of an `allOf` form a single schema. */
function joinTrails(trail: Trail | null, addedTrail: Trail | null): Trail | null {
  let joined = trail;
  for (let step = addedTrail; step && step !== trail; step = step.parent)
    joined = { target: step.target, parent: joined };
  return joined;
}

/** Merges two schemas; in case of conflict, the first one takes precedence. */
function merge(schema: JsonObject, addedSchema: JsonObject): JsonObject {
  const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
  const listOf = (value: Json | undefined): readonly Json[] => (isJsonArray(value) ? value : []);
  const properties = { ...objectOf(addedSchema['properties']), ...objectOf(schema['properties']) };
  const required = [...new Set([...listOf(schema['required']), ...listOf(addedSchema['required'])])];
  return {
    ...addedSchema,
    ...schema,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Additional members of a top-level property, besides those of its schema. */
export interface ExtraMembers {
  readonly leadingMembers?: DraftObject;
  /** The size of the property's name in the list of required properties, in bytes. */
  readonly extraBytes?: number;
}

/** Adds schemas to a growing tool, in the subset of JSON Schema that tools accept. */
export class ToolSchemaGrowth {
  readonly #growth: Growth;
  readonly #source: Source;
  #enumValues = 0;

  constructor(growth: Growth, source: Source) {
    this.#growth = growth;
    this.#source = source;
  }

  enqueue(rank: number, place: Position, value: Json | undefined, level: Level, extraMembers: ExtraMembers = {}): void {
    this.#growth.enqueue({
      rank,
      place,
      build: () => ({
        ...this.#buildPart(place, value, level, extraMembers.leadingMembers),
        extraBytes: extraMembers.extraBytes ?? 0,
      }),
    });
  }

  #buildPart(place: Position, value: Json | undefined, level: Level, leadingMembers: DraftObject = new Map()): Part {
    const { schema, trail } = flattenSchema(this.#source, value, level.trail);
    const draft: DraftObject = new Map();
    const deferred: (() => void)[] = [];
    const nested: Level = { ...level, trail };
    for (const [name, keywordValue] of Object.entries(schema))
      this.#writeKeyword(place, draft, name, keywordValue, schema, nested, deferred);
    if (draft.get('type') === '"array"' && !draft.has('items')) draft.set('items', '{}');
    for (const [name, member] of leadingMembers) draft.set(name, member);
    return { draft, fallback: new Map(leadingMembers), onAdded: () => deferred.forEach((enqueue) => enqueue()) };
  }

  #writeKeyword(
    parent: Position,
    draft: DraftObject,
    name: string,
    value: Json,
    schema: JsonObject,
    level: Level,
    deferred: (() => void)[],
  ): void {
    const position: Position = { parent, container: draft, key: name, isKeyword: true };
    switch (toolKeywords[name]) {
      case 'type':
        return writeType(draft, value);
      case 'format':
        if (typeof value === 'string' && formats.has(value)) draft.set(name, JSON.stringify(value));
        return;
      case 'enum':
        return this.#writeEnum(draft, name === 'const' ? [value] : value);
      case 'bound':
        return writeBound(draft, name, value, schema);
      case 'text':
        draft.set(name, null);
        deferred.push(() => enqueueText(this.#growth, ranks.membersAt(level.depth) + 2, position, value));
        return;
      case 'value':
        return writeValue(draft, name, value);
      case 'members':
        return this.#writeMembers(position, draft, value, schema, level, deferred);
      case 'items':
        draft.set(name, '{}');
        if (level.depth + 1 < toolLimits.levels) {
          const rank = level.isRequired ? ranks.requiredMembers : ranks.membersAt(level.depth + 1);
          deferred.push(() => this.enqueue(rank, position, value, { ...level, depth: level.depth + 1 }));
        }
        return;
      case 'anyOf':
        return this.#writeAlternatives({ ...position, key: 'anyOf' }, draft, value, level, deferred);
      case undefined:
        return;
    }
  }

  #writeMembers(
    position: Position,
    draft: DraftObject,
    value: Json,
    schema: JsonObject,
    level: Level,
    deferred: (() => void)[],
  ): void {
    if (!isJsonObject(value) || level.depth + 1 >= toolLimits.levels) return;
    const members: DraftObject = new Map();
    const required = new Set(isJsonArray(schema['required']) ? schema['required'] : []);
    if (Object.keys(value).length > 0) draft.set('properties', members);
    if (!draft.has('type')) draft.set('type', '"object"');
    // Lists all of them at first, to reserve space for their names; names that are missing at the end are then not
    // required.
    draft.set(
      'required',
      JSON.stringify([...required].filter((name) => typeof name === 'string' && Object.hasOwn(value, name))),
    );
    this.#growth.onFinish(() => {
      const presentNames = [...required].filter((name) => typeof name === 'string' && members.has(name));
      if (presentNames.length > 0) draft.set('required', JSON.stringify(presentNames));
      else draft.delete('required');
    });
    deferred.push(() => {
      for (const [name, subschema] of Object.entries(value).slice(0, this.#growth.partsLeft)) {
        const place: Position = { parent: position, container: members, key: name, isKeyword: false };
        const depth = level.depth + 1;
        const isRequired = required.has(name);
        const rank =
          isRequired && level.isRequired ? ranks.requiredMembers : ranks.membersAt(depth) + (isRequired ? 0 : 1);
        this.enqueue(rank, place, subschema, { ...level, depth, isRequired: level.isRequired && isRequired });
      }
    });
  }

  #writeAlternatives(
    position: Position,
    draft: DraftObject,
    value: Json,
    level: Level,
    deferred: (() => void)[],
  ): void {
    const schemas = isJsonArray(value) ? value : [];
    // Alternatives that only list required members have no effect without their own `properties`.
    if (draft.has('anyOf') || level.depth + 1 >= toolLimits.levels || !schemas.some(isConstraining)) return;
    const placeholders: Draft[] = schemas.map(() => '{}');
    draft.set('anyOf', null);
    const onAdded = () => {
      for (const [index, subschema] of schemas.entries()) {
        const place: Position = { parent: position, container: placeholders, key: index, isKeyword: false };
        this.enqueue(ranks.membersAt(level.depth) + 1, place, subschema, {
          ...level,
          depth: level.depth + 1,
          isRequired: false,
        });
      }
    };
    deferred.push(() => {
      const rank = level.isRequired ? ranks.requiredMembers : ranks.membersAt(level.depth);
      this.#growth.enqueue({ rank, place: position, build: () => ({ draft: placeholders, fallback: null, onAdded }) });
    });
  }

  #writeEnum(draft: DraftObject, value: Json): void {
    const values = (isJsonArray(value) ? value : []).filter(
      (item) => typeof item === 'string' || typeof item === 'number',
    );
    if (values.length === 0 || values.length > toolLimits.enumValuesEach) return;
    if (this.#enumValues + values.length > toolLimits.enumValues) return;
    this.#enumValues += values.length;
    draft.set('enum', JSON.stringify(values));
    if (!draft.has('type') && values.every((item) => typeof item === 'string')) draft.set('type', '"string"');
  }
}

const isConstraining = (schema: Json): boolean =>
  isJsonObject(schema) &&
  Object.keys(schema).some((name) => isConstraint(name) && name !== 'required' && name !== 'not');

/** Writes a single type, or a single type and `null`; several types become alternatives. */
function writeType(draft: DraftObject, value: Json): void {
  const types = isJsonArray(value) ? value.filter((item) => item !== 'null') : [value];
  if (types.length === 0) return;
  if (types.length === 1)
    draft.set('type', JSON.stringify(isJsonArray(value) ? (value.length > 1 ? value : types[0]) : value));
  else
    draft.set(
      'anyOf',
      types.map(
        (type) => new Map([['type', JSON.stringify(type)], ...(type === 'array' ? [['items', '{}'] as const] : [])]),
      ),
    );
}

/** Writes an exclusive bound as an inclusive one: exact for integers, slightly too wide for other numbers. */
function writeBound(draft: DraftObject, name: string, value: Json, schema: JsonObject): void {
  const step = schema['type'] === 'integer' && Number.isInteger(value) ? 1 : 0;
  const bound = name === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  if (typeof value === 'number') draft.set(bound, JSON.stringify(bound === 'minimum' ? value + step : value - step));
}

function writeValue(draft: DraftObject, name: string, value: Json): void {
  const text = JSON.stringify(value);
  if (text.length <= valueCharactersMax) draft.set(name, text);
}
