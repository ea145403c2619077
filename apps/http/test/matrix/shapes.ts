import { expect } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/route.ts';
import type { Reply } from '../reply.ts';

type Fields = readonly string[];
type JsonObject = Readonly<Record<string, unknown>>;

/** The shape of a response: exactly these fields, in any order. */
export type Shape =
  | {
      readonly form: 'object' | 'list' | 'lines';
      readonly fields: (entry: JsonObject) => Fields;
      /** The fields of nested objects or list entries, by the field that contains them. */
      readonly nested: Readonly<Record<string, Fields>>;
    }
  | { readonly form: 'text'; readonly mediaType: string; readonly pattern: RegExp }
  | { readonly form: 'members'; readonly fields: Fields }
  | { readonly form: 'empty' };

type FieldsOf = Fields | ((entry: JsonObject) => Fields);
const toFunction = (fields: FieldsOf) => (typeof fields === 'function' ? fields : () => fields);

export const object = (fields: FieldsOf, nested: Readonly<Record<string, Fields>> = {}): Shape => ({
  form: 'object',
  fields: toFunction(fields),
  nested,
});
export const listOf = (fields: FieldsOf): Shape => ({ form: 'list', fields: toFunction(fields), nested: {} });
/** Creates the shape of one JSON object per line. */
export const linesOf = (fields: FieldsOf): Shape => ({ form: 'lines', fields: toFunction(fields), nested: {} });
export const text = (mediaType: string, pattern: RegExp): Shape => ({ form: 'text', mediaType, pattern });
/** The shape of a response without content. */
export const empty: Shape = { form: 'empty' };
/** Creates the shape of an object with at least these fields; another standard defines the rest. */
export const objectWith = (...fields: Fields): Shape => ({ form: 'members', fields });

/** Returns the shape of a route's response schema. Throws if the schema is missing or has optional fields. */
export const shapeOf = ({ method, path, response, mediaType }: Route): Shape => {
  if (!response) throw new Error(`${method} ${path} has no response schema: specify \`response\` in its endpoint`);
  const { $defs = {}, ...rootSchema } = z.toJSONSchema(response, {
    io: 'output',
    unrepresentable: 'any',
  }) as JsonSchema;
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined
      ? schema
      : (({ [schema.$ref.replace('#/$defs/', '')]: definition = {} }) => definition)($defs);
  const { items, ...root } = resolve(rootSchema);
  const { required = [], properties = {}, additionalProperties } = items ? resolve(items) : root;
  const fields = Object.keys(properties);
  if (additionalProperties !== false || required.length < fields.length)
    throw new Error(
      `The response schema of ${method} ${path} has optional fields: specify \`response\` in its endpoint`,
    );
  if (items) return listOf(fields);
  return mediaType === 'application/x-ndjson' ? linesOf(fields) : object(fields);
};

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/**
 * Returns the entries of a response. Throws if the response does not have this shape. `mayBeEmpty` applies to lists.
 */
export const expectShape = (reply: Reply, shape: Shape, mayBeEmpty: boolean): readonly JsonObject[] => {
  if (shape.form === 'empty') {
    expect([reply.headers['content-type'], reply.text]).toEqual([undefined, '']);
    return [];
  }
  const mediaType = shape.form === 'text' ? shape.mediaType : mediaTypes[shape.form];
  expect(reply.headers['content-type']).toBe(mediaType);
  if (shape.form === 'text') {
    expect(reply.text).toMatch(shape.pattern);
    return [];
  }
  const entries = entriesOf(reply, shape.form);
  if (!mayBeEmpty) expect(entries).not.toEqual([]);
  for (const entry of entries) {
    if (shape.form === 'members') {
      expect(Object.keys(entry)).toEqual(expect.arrayContaining([...shape.fields]));
      continue;
    }
    expect(Object.keys(entry).sort()).toEqual([...shape.fields(entry)].sort());
    for (const [name, fields] of Object.entries(shape.nested)) expectNested(entry[name], fields);
  }
  return entries;
};

const json = 'application/json; charset=utf-8';
const mediaTypes = { object: json, members: json, list: json, lines: 'application/x-ndjson' } as const;

const entriesOf = (reply: Reply, form: keyof typeof mediaTypes): readonly JsonObject[] => {
  if (form === 'lines') {
    expect(reply.text).toMatch(/\n$/);
    return reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
  }
  expect(Array.isArray(JSON.parse(reply.text))).toBe(form === 'list');
  return form === 'list' ? reply.list : [reply.body];
};

const expectNested = (value: unknown, fields: Fields): void => {
  const entries = (Array.isArray(value) ? value : [value]) as readonly JsonObject[];
  expect(entries).not.toEqual([]);
  for (const entry of entries) expect(Object.keys(entry).sort()).toEqual([...fields].sort());
};
