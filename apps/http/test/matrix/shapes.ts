import { expect } from 'vitest';
import type { Reply } from '../reply.ts';

type Fields = readonly string[];
type JsonObject = Readonly<Record<string, unknown>>;

/** The shape of an answer: exactly these fields, in any order. */
export type Shape =
  | {
      readonly form: 'object' | 'list' | 'lines';
      readonly fields: (entry: JsonObject) => Fields;
      /** By field: the fields of the object in it, or of the objects of the list in it. */
      readonly inside: Readonly<Record<string, Fields>>;
    }
  | { readonly form: 'text'; readonly media: string; readonly pattern: RegExp }
  | { readonly form: 'members'; readonly fields: Fields };

type FieldsOf = Fields | ((entry: JsonObject) => Fields);
const always = (fields: FieldsOf) => (typeof fields === 'function' ? fields : () => fields);

export const object = (fields: FieldsOf, inside: Readonly<Record<string, Fields>> = {}): Shape => ({
  form: 'object',
  fields: always(fields),
  inside,
});
export const listOf = (fields: FieldsOf): Shape => ({ form: 'list', fields: always(fields), inside: {} });
/** One JSON object per line. */
export const linesOf = (fields: FieldsOf): Shape => ({ form: 'lines', fields: always(fields), inside: {} });
export const text = (media: string, pattern: RegExp): Shape => ({ form: 'text', media, pattern });
/** An object with at least these fields: another standard defines the rest. */
export const objectWith = (...fields: Fields): Shape => ({ form: 'members', fields });

export const message = object(['message']);

/** Returns the entries of an answer; throws if it does not have this shape. `mayBeEmpty` applies to lists. */
export const expectShape = (reply: Reply, shape: Shape, mayBeEmpty: boolean): readonly JsonObject[] => {
  const media = shape.form === 'text' ? shape.media : mediaTypes[shape.form];
  expect(reply.headers['content-type']).toBe(media);
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
    for (const [name, fields] of Object.entries(shape.inside)) expectInside(entry[name], fields);
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

const expectInside = (value: unknown, fields: Fields): void => {
  const all = (Array.isArray(value) ? value : [value]) as readonly JsonObject[];
  expect(all).not.toEqual([]);
  for (const one of all) expect(Object.keys(one).sort()).toEqual([...fields].sort());
};
