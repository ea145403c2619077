import { parseExactJson } from '../exact-json.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { sampleFile, type RequestValues } from './build-request.ts';
import { isFile } from './file-schema.ts';
import type { Parameter } from './parameters.ts';
import type { BodyContent } from './request-body.ts';
import { providedParametersOf, type RequestDescription } from './request-description.ts';
import { joinNodes, propertiesOf, requiredNamesOf, typesOf, type Schema, type SchemaNode } from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The maximum length of a sample body, in characters; a longer one is reduced or omitted. */
const bodyMax = 1_000;
const depthMax = 5;
const valuesMax = 200;

/**
 * Returns the values of a sample request: the required parameters and members, with the document's examples, else with
 * placeholders in upper case.
 */
export function createSampleValues(description: RequestDescription): RequestValues {
  const { reader, body } = description;
  const placeholders = new Set<string>();
  const parameters = providedParametersOf(description)
    .filter(({ required }) => required)
    .map((parameter) => {
      const value = parameterValueOf(reader, parameter);
      if (value !== toPlaceholder(parameter.name)) return [parameter, value] as const;
      // Names that look alike have different placeholders.
      let placeholder = value;
      for (let count = 2; placeholders.has(placeholder); count++) placeholder = `${value}_${count}`;
      placeholders.add(placeholder);
      return [parameter, placeholder] as const;
    });
  const isSent = body?.content && (body.required || body.content.schema !== null || body.content.example !== undefined);
  return { parameters, body: isSent && body.content ? bodyOf(reader, body.content, body.required) : undefined };
}

function parameterValueOf(reader: SchemaReader, { name, schema, example }: Parameter): Json {
  if (isShort(example)) return example;
  if (!schema) return toPlaceholder(name);
  const sampler = new Sampler(reader, depthMax);
  const value = sampler.valueOf(schema, name);
  const [first] = propertiesOf(reader.read(schema));
  // An object without members is not sent.
  if (!first || !isJsonObject(value) || Object.keys(value).length > 0) return value;
  return { [first[0]]: sampler.valueOf(first[1], first[0]) };
}

function bodyOf(reader: SchemaReader, content: BodyContent, isRequired: boolean): Json {
  const { kind, schema } = content;
  const example = toUsableExample(reader, content);
  if (kind === 'raw') return typeof example === 'string' && !/[\p{Cc}]/u.test(example) ? example : sampleFile;
  if (example !== undefined && (kind === 'json' || isJsonObject(example)))
    return withoutHidden(reader, example, schema);
  if (!schema) return kind === 'json' ? 'BODY' : {};
  for (let depth = depthMax; depth > 0; depth--) {
    const sample = sampleBody(reader, content, schema, depth, isRequired);
    if (JSON.stringify(sample).length <= bodyMax) return sample;
  }
  return {};
}

/** Returns the example of a body, if it is short, and contains the members that the schema requires. */
function toUsableExample(reader: SchemaReader, { kind, schema, example }: BodyContent): Json | undefined {
  if (!isShort(example)) return undefined;
  if (!schema || kind === 'raw') return example;
  const types = typesOf(reader.read(schema));
  const isWrittenAsText = typeof example === 'string' && types.length > 0 && !types.includes('string');
  const value = isWrittenAsText ? parseText(example) : example;
  return value !== undefined && hasRequiredMembers(reader, schema, value, 2) ? value : undefined;
}

const parseText = (text: string): Json | undefined => {
  try {
    return parseExactJson(text);
  } catch {
    return undefined; // Not an example of JSON.
  }
};

function hasRequiredMembers(reader: SchemaReader, node: SchemaNode, value: Json, depth: number): boolean {
  const schema = reader.read(node);
  if (!isJsonObject(value)) return !typesOf(schema).includes('object');
  if ([...requiredNamesOf(schema)].some((name) => !Object.hasOwn(value, name))) return false;
  if (depth <= 1) return true;
  return Object.entries(value).every(([name, member]) => {
    const property = propertiesOf(schema).get(name);
    return !property || !isJsonObject(member) || hasRequiredMembers(reader, property, member, depth - 1);
  });
}

function sampleBody(
  reader: SchemaReader,
  content: BodyContent,
  schema: SchemaNode,
  depth: number,
  isRequired: boolean,
): Json {
  const sampler = new Sampler(reader, depth);
  const body = sampler.valueOf(schema, 'BODY');
  if (content.kind === 'json' || !isJsonObject(body)) return body;
  const properties = propertiesOf(reader.read(schema));
  const names = Object.keys(body);
  const alternative = ['oneOf', 'anyOf'].flatMap((keyword) => reader.read(schema).lists.get(keyword) ?? [])[0];
  const [firstName] = [...properties.keys(), ...(alternative ? propertiesOf(reader.read(alternative)).keys() : [])];
  // A form that must be sent, but has no required member, needs one nevertheless.
  if (names.length === 0 && isRequired && firstName !== undefined) names.push(firstName);
  return Object.fromEntries(
    names.map((name) => {
      if (content.kind === 'multipart' && isFile(reader, content, name)) return [name, sampleFile];
      const node = properties.get(name);
      return [name, body[name] ?? (node ? sampler.valueOf(node, name) : toPlaceholder(name))];
    }),
  );
}

/** Returns an example without the members that requests do not contain. */
function withoutHidden(reader: SchemaReader, example: Json, schema: SchemaNode | null): Json {
  if (!schema || !isJsonObject(example)) return example;
  const properties = reader.hiddenNamesOf(schema);
  return Object.fromEntries(Object.entries(example).filter(([name]) => !properties.has(name)));
}

/** Whether an example is small enough for a sample. */
const isShort = (value: Json | undefined): value is Json =>
  value !== undefined && JSON.stringify(value).length <= bodyMax;

/** Creates values for schemas: nested as deeply as `depth`, and a limited number of them. */
class Sampler {
  readonly #reader: SchemaReader;
  readonly #depth: number;
  #valuesLeft = valuesMax;

  constructor(reader: SchemaReader, depth: number) {
    this.#reader = reader;
    this.#depth = depth;
  }

  valueOf(node: SchemaNode, name: string, depth = this.#depth): Json {
    const schema = this.#reader.read(node);
    if (this.#valuesLeft-- <= 0) return toPlaceholder(name);
    const { values, nodes, lists } = schema;
    const example = [values.get('examples')].flatMap((examples) => (isJsonArray(examples) ? examples.slice(0, 1) : []));
    const candidates = [values.get('const'), ...example, ...itemsOf(values.get('enum')), values.get('default')];
    const stated = candidates.find((value) => value !== undefined && isFitting(value, schema));
    if (stated !== undefined) return stated;
    const types = typesOf(schema);
    const members = this.#requiredMembersOf(schema, depth);
    if (members.size > 0 || types.includes('object') || schema.maps.has('properties')) {
      if (depth <= 0) return {};
      return Object.fromEntries(
        [...members].map(([key, member]) => [key, member ? this.valueOf(member, key, depth - 1) : toPlaceholder(key)]),
      );
    }
    const items = nodes.get('items');
    if (types.includes('array'))
      return depth > 0 ? [items ? this.valueOf(items, name, depth - 1) : toPlaceholder(name)] : [];
    if (types.includes('boolean')) return true;
    if (types.includes('integer') || types.includes('number')) return values.get('minimum') ?? 0;
    const alternative = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => lists.get(keyword)?.slice(0, 1) ?? [])[0];
    if (alternative && types.length === 0 && depth > 0) return this.valueOf(alternative, name, depth - 1);
    return types.length === 1 && types[0] === 'null' ? null : toPlaceholder(name);
  }

  /** Returns the required members of a schema, and of its first alternatives. */
  #requiredMembersOf(schema: Schema, depth: number): Map<string, SchemaNode | undefined> {
    const members = new Map<string, SchemaNode | undefined>();
    if (depth <= 0) return members;
    const properties = propertiesOf(schema);
    for (const name of requiredNamesOf(schema)) {
      // A sample with more members is too long in any case.
      if (members.size >= valuesMax) break;
      members.set(name, properties.get(name));
    }
    const others = [
      ...(schema.lists.get('allOf') ?? []),
      ...(schema.lists.get('oneOf')?.slice(0, 1) ?? []),
      ...(schema.lists.get('anyOf')?.slice(0, 1) ?? []),
    ];
    for (const other of others) {
      if (this.#valuesLeft-- <= 0) break;
      for (const [name, node] of this.#requiredMembersOf(this.#reader.read(other), depth - 1)) {
        const [current, own] = [members.get(name), properties.get(name)];
        const first = current ?? own;
        members.set(name, first && node && first !== node ? joinNodes(first, node) : (first ?? node));
      }
    }
    return members;
  }
}

const itemsOf = (value: Json | undefined): readonly Json[] => (isJsonArray(value) ? value : []);

/** Whether a stated value has a type and the required members of the schema, and is short enough for a sample. */
function isFitting(value: Json, schema: Schema): boolean {
  if (isJsonObject(value) && [...requiredNamesOf(schema)].some((name) => !Object.hasOwn(value, name))) return false;
  const types = typesOf(schema);
  if (JSON.stringify(value).length > (isJsonObject(value) || isJsonArray(value) ? bodyMax : 60)) return false;
  if (value === null) return types.length === 0 || types.includes('null');
  if (isJsonArray(value)) return types.length === 0 || types.includes('array');
  if (isJsonObject(value)) return types.length === 0 || types.includes('object');
  return !['object', 'array'].some((type) => types.length === 1 && types[0] === type);
}

/** Returns a name in upper case: `petId` becomes `PET_ID`. */
export const toPlaceholder = (name: string): string =>
  name
    .slice(0, 60)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'VALUE';
