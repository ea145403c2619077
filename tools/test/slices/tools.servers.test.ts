import { buildOperationTool, sourceOf, type Json, type JsonObject } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { contextOf, hasRealDocuments, readRealOperations } from './real-operations.ts';
import { createAjv } from './document-oracle.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly properties: JsonObject; readonly required?: readonly string[] };
}

/** The limits listed in docs/tool-formats.md, each with a check. */
const limits: Readonly<Record<string, (tool: Tool, schemas: readonly NestedSchema[]) => boolean>> = {
  'a name of letters, digits, _ and -': ({ name }) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name),
  'a description of at most 1,024 characters': ({ description }) => description !== '' && description.length <= 1_024,
  'four members': (tool) => Object.keys(tool).join() === 'name,description,input_schema,request',
  'an object without alternatives': ({ input_schema: { type, ...otherMembers } }) =>
    type === 'object' &&
    !['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref'].some((name) => Object.hasOwn(otherMembers, name)),
  'properties of plain names': ({ input_schema }) =>
    Object.keys(input_schema.properties).every((name) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)),
  'properties with a location': ({ input_schema }) =>
    Object.values(input_schema.properties).every((property) =>
      ['path', 'query', 'header', 'cookie', 'body'].includes((property as JsonObject)['x-portico-in'] as string),
    ),
  'required properties that exist': (_, schemas) =>
    schemas.every(({ schema }) =>
      ((schema['required'] ?? []) as string[]).every((name) => Object.hasOwn(schema['properties'] as object, name)),
    ),
  'known keywords': (_, schemas) =>
    schemas.every(({ schema }) => Object.keys(schema).every((name) => keywords.has(name))),
  'at most five levels of nesting': (_, schemas) =>
    schemas.every(({ schema, level }) => level <= 5 || !('properties' in schema || 'anyOf' in schema)),
  'arrays with items': (_, schemas) =>
    schemas.every(({ schema }) => schema['type'] !== 'array' || schema['items'] !== undefined),
  'at most 1,000 enum values': (_, schemas) =>
    schemas.reduce((sum, { schema }) => sum + ((schema['enum'] as Json[] | undefined)?.length ?? 0), 0) <= 1_000,
};

const keywords = new Set(
  (
    'title type format description enum default examples minimum maximum minLength maxLength pattern minItems maxItems ' +
    'properties required additionalProperties items anyOf x-portico-in x-portico-name x-portico-style x-portico-explode ' +
    'x-portico-allow-reserved x-portico-content-type'
  ).split(' '),
);

interface NestedSchema {
  readonly schema: JsonObject;
  readonly level: number;
}

function* schemasIn(schema: JsonObject, level = 0): Generator<NestedSchema> {
  yield { schema, level };
  const { properties, items, anyOf, additionalProperties } = schema;
  const parts = [
    ...Object.values((properties ?? {}) as JsonObject),
    ...(items ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...((anyOf ?? []) as Json[]),
  ];
  for (const part of parts) yield* schemasIn(part as JsonObject, level + 1);
}

describe.skipIf(!hasRealDocuments)('a function tool of an operation of a real document', () => {
  test.each([
    [8_192, 1],
    [1_024, 5],
  ])('respects the limits of all tool formats with %i bytes, for one operation in %i', (maxBytes, step) => {
    const [ajv, faults, names] = [createAjv(), [] as string[], new Map<string, number>()];
    let index = 0;
    for (const { document, operation, file, name } of readRealOperations()) {
      if (index++ % step !== 0) continue;
      const text = buildOperationTool(sourceOf(document), operation, contextOf(file, index), maxBytes);
      if (Buffer.byteLength(text) > maxBytes) faults.push(`${name}: ${Buffer.byteLength(text)} bytes`);
      const tool = JSON.parse(text) as Tool;
      const schemas = [...schemasIn(tool.input_schema)];
      for (const [limit, isMet] of Object.entries(limits)) {
        if (!isMet(tool, schemas)) faults.push(`${name}: not ${limit}: ${text.slice(0, 300)}`);
      }
      if (ajv.validateSchema(tool.input_schema) !== true) faults.push(`${name}: ${ajv.errorsText(ajv.errors)}`);
      names.set(`${file} ${tool.name}`, (names.get(`${file} ${tool.name}`) ?? 0) + 1);
    }
    expect(faults.slice(0, 6), `${faults.length} faults`).toEqual([]);
    // Some documents have two operations with the same id.
    expect([...names.values()].filter((count) => count > 1).length).toBeLessThan(names.size / 100);
  });
});
