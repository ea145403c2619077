import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { compareNumbers, isNumber, isSameValue, keyOf } from './numbers.ts';
import { createSchema, joinNodes, typesOf, type Schema, type SchemaNode } from './schema-node.ts';

/** A keyword of a schema that is merged into another one, by the kind of its value. */
export type KeywordToMerge =
  | { readonly name: string; readonly value: Json; readonly isImplied: boolean }
  | { readonly name: string; readonly node: SchemaNode }
  | { readonly name: string; readonly nodes: readonly SchemaNode[] }
  | { readonly name: string; readonly map: Map<string, SchemaNode> };

/**
 * Merges a keyword, so that the schema accepts the values that both accept. A keyword that cannot be merged is added to
 * `remainder`, as a schema of its own.
 */
export function mergeKeyword(schema: Schema, keyword: KeywordToMerge, remainder: SchemaNode[]): void {
  const { name } = keyword;
  const rest = createSchema();
  if ('value' in keyword) {
    const isIgnored = keyword.isImplied && !allowsString(schema);
    if (!isIgnored && !mergeValue(schema.values, name, keyword.value) && !keyword.isImplied)
      rest.values.set(name, keyword.value);
  } else if ('map' in keyword) {
    const map = schema.maps.get(name);
    if (!map) schema.maps.set(name, keyword.map);
    else
      for (const [key, node] of keyword.map) {
        const current = map.get(key);
        map.set(key, current ? joinNodes(current, node) : node);
      }
  } else if ('nodes' in keyword) {
    if (schema.lists.has(name)) rest.lists.set(name, keyword.nodes);
    else schema.lists.set(name, keyword.nodes);
  } else {
    const current = schema.nodes.get(name);
    if (!current) schema.nodes.set(name, keyword.node);
    else if (joinableKeywords.has(name)) schema.nodes.set(name, joinNodes(current, keyword.node));
    else rest.nodes.set(name, keyword.node);
  }
  const isEmpty = rest.values.size + rest.nodes.size + rest.lists.size === 0;
  if (!isEmpty) remainder.push({ parts: [], schema: rest });
}

/** Keywords that refer to each other: those of two schemas cannot be mixed. */
const dependentKeywords: readonly (readonly string[])[] = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['prefixItems', 'items'],
];

/** Returns the keywords that must stay together in a schema of their own, because the merged one has some of them. */
export const listSeparateKeywords = (
  { values, nodes, lists }: Schema,
  keywords: ReadonlyMap<string, Json>,
): ReadonlySet<string> =>
  new Set(
    dependentKeywords.flatMap((group) => {
      const own = group.filter((name) => keywords.has(name));
      const merged = group.filter((name) => values.has(name) || nodes.has(name) || lists.has(name));
      const canJoin = [...own, ...merged].every((name) => name === 'items');
      return merged.length === 0 || canJoin ? [] : own;
    }),
  );

/** Whether a schema can have a discriminator's value, which is always a string. */
const allowsString = (schema: Schema): boolean => {
  const types = typesOf(schema);
  return types.length === 0 || types.includes('string') || types.includes('object');
};

/** The keywords whose two schemas apply to the same values. */
const joinableKeywords = new Set(['items', 'additionalProperties', 'propertyNames']);

/** Merges a keyword without schemas. Returns false if both statements cannot be made in one. */
function mergeValue(values: Map<string, Json>, name: string, value: Json): boolean {
  if (name === 'enum' || name === 'const') return mergeEnum(values, name, value);
  const current = values.get(name);
  const merged = current === undefined ? value : rules[name]?.(current, value);
  if (merged === undefined) return current !== undefined && isSameValue(current, value);
  values.set(name, merged);
  return true;
}

type Rule = (current: Json, value: Json) => Json | undefined;

const greater: Rule = (current, value) =>
  isNumber(current) && isNumber(value) ? (compareNumbers(value, current) > 0 ? value : current) : undefined;
const smaller: Rule = (current, value) =>
  isNumber(current) && isNumber(value) ? (compareNumbers(value, current) < 0 ? value : current) : undefined;
const unite: Rule = (current, value) =>
  isJsonArray(current) && isJsonArray(value) ? [...new Set([...current, ...value])] : undefined;
const keepFirst: Rule = (current) => current;

const rules: Readonly<Record<string, Rule>> = {
  type: intersectTypes,
  minimum: greater,
  exclusiveMinimum: greater,
  minLength: greater,
  minItems: greater,
  minProperties: greater,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  required: unite,
  dependentRequired: (current, value) =>
    isJsonObject(current) && isJsonObject(value)
      ? Object.fromEntries(
          [...new Set([...Object.keys(current), ...Object.keys(value)])].map((name) => [
            name,
            unite(current[name] ?? [], value[name] ?? []) ?? [],
          ]),
        )
      : undefined,
  description: keepFirst,
  default: keepFirst,
  examples: keepFirst,
  discriminator: keepFirst,
};

/** Returns the types that both lists contain; every integer is a number. */
function intersectTypes(current: Json, value: Json): Json | undefined {
  const [currentTypes, types] = [current, value].map((type) => (isJsonArray(type) ? type : [type])) as [Json[], Json[]];
  const common = new Set<Json>();
  for (const type of currentTypes) {
    if (types.includes(type) || (type === 'integer' && types.includes('number'))) common.add(type);
    if (type === 'number' && types.includes('integer')) common.add('integer');
  }
  const [first] = common;
  return first === undefined ? undefined : common.size === 1 ? first : [...common];
}

/** Keeps the values that both lists contain; `const` is a list of one value. */
function mergeEnum(values: Map<string, Json>, name: string, value: Json): boolean {
  const added = name === 'const' ? [value] : (value as readonly Json[]);
  const currentConst = values.get('const');
  const current = currentConst === undefined ? (values.get('enum') as readonly Json[] | undefined) : [currentConst];
  if (!current) {
    values.set(name, value);
    return true;
  }
  const addedKeys = new Set(added.map(keyOf));
  const common = current.filter((item) => addedKeys.has(keyOf(item)));
  const [first] = common;
  if (first === undefined) return false;
  if (currentConst !== undefined || name === 'const') {
    values.delete('enum');
    values.set('const', first);
  } else values.set('enum', common);
  return true;
}
