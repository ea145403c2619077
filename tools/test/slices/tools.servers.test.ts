import { operationTool, type Json, type JsonObject } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { factsOf, present, realOperations } from './real-operations.ts';
import { newAjv } from './whole-schema.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly properties: JsonObject; readonly required?: readonly string[] };
}

/** The limits of docs/tool-formats.md, each as a check that names what breaks it. */
const limits: Readonly<Record<string, (tool: Tool, schemas: readonly Located[]) => boolean>> = {
  'a name of letters, digits, _ and -': ({ name }) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name),
  'a description of at most 1,024 characters': ({ description }) => description !== '' && description.length <= 1_024,
  'three members': (tool) => Object.keys(tool).join() === 'name,description,input_schema',
  'an object without alternatives': ({ input_schema: { type, ...others } }) =>
    type === 'object' &&
    !['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref'].some((name) => Object.hasOwn(others, name)),
  'properties of plain names': ({ input_schema }) =>
    Object.keys(input_schema.properties).every((name) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)),
  'properties that say where they go': ({ input_schema }) =>
    Object.values(input_schema.properties).every((one) =>
      ['path', 'query', 'header', 'cookie', 'body'].includes((one as JsonObject)['x-portico-in'] as string),
    ),
  'required properties that are there': (_, schemas) =>
    schemas.every(({ schema }) =>
      ((schema['required'] ?? []) as string[]).every((name) => Object.hasOwn(schema['properties'] as object, name)),
    ),
  'known keywords': (_, schemas) =>
    schemas.every(({ schema }) => Object.keys(schema).every((name) => keywords.has(name))),
  'at most five levels that have parts': (_, schemas) =>
    schemas.every(({ schema, level }) => level <= 5 || !('properties' in schema || 'anyOf' in schema)),
  'arrays with items': (_, schemas) =>
    schemas.every(({ schema }) => schema['type'] !== 'array' || schema['items'] !== undefined),
  'at most 1,000 enum values': (_, schemas) =>
    schemas.reduce((sum, { schema }) => sum + ((schema['enum'] as Json[] | undefined)?.length ?? 0), 0) <= 1_000,
};

const keywords = new Set(
  (
    'type format description enum default minimum maximum minLength maxLength pattern minItems maxItems properties ' +
    'required items anyOf x-portico-in x-portico-name'
  ).split(' '),
);

interface Located {
  readonly schema: JsonObject;
  readonly level: number;
}

function* schemasIn(schema: JsonObject, level = 0): Generator<Located> {
  yield { schema, level };
  const { properties, items, anyOf } = schema;
  const parts = [
    ...Object.values((properties ?? {}) as JsonObject),
    ...(items ? [items] : []),
    ...((anyOf ?? []) as Json[]),
  ];
  for (const part of parts) yield* schemasIn(part as JsonObject, level + 1);
}

describe.skipIf(!present)('a function tool of each of the operations of real documents', () => {
  test.each([
    [8_192, 1],
    [1_024, 5],
  ])('keeps the limits of all tool formats in %i bytes, at each operation in %i', (maxBytes, every) => {
    const [ajv, faults, names] = [newAjv(), [] as string[], new Map<string, number>()];
    let index = 0;
    for (const { document, at, file, name } of realOperations()) {
      if (index++ % every !== 0) continue;
      const text = operationTool(document, at, factsOf(file, index), maxBytes);
      if (Buffer.byteLength(text) > maxBytes) faults.push(`${name}: ${Buffer.byteLength(text)} bytes`);
      const tool = JSON.parse(text) as Tool;
      const schemas = [...schemasIn(tool.input_schema)];
      for (const [limit, holds] of Object.entries(limits)) {
        if (!holds(tool, schemas)) faults.push(`${name}: not ${limit}: ${text.slice(0, 300)}`);
      }
      if (ajv.validateSchema(tool.input_schema) !== true) faults.push(`${name}: ${ajv.errorsText(ajv.errors)}`);
      names.set(`${file} ${tool.name}`, (names.get(`${file} ${tool.name}`) ?? 0) + 1);
    }
    expect(faults.slice(0, 6), `${faults.length} faults`).toEqual([]);
    // Documents that give two operations one id.
    expect([...names.values()].filter((count) => count > 1).length).toBeLessThan(names.size / 100);
  });
});
