import { expect, test } from 'vitest';
import { buildOpenApiDocument, routes } from '../../src/index.ts';
import { httpSettings } from '../start-in-memory.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const document = JSON.parse(JSON.stringify(buildOpenApiDocument(routes, httpSettings))) as JsonObject;

const valuesAt = (value: unknown, name: string): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member as unknown] : []),
    ...valuesAt(member, name),
  ]);
};

test('every pattern compiles with and without the flag u, and has no lookbehind and no property escape', () => {
  const patterns = valuesAt(document, 'pattern').filter((pattern) => typeof pattern === 'string');
  expect(patterns.length).toBeGreaterThan(10);
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\(\?<|\\p/);
    for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow();
  }
});

test('every link connects a response field to a path parameter of a different operation', () => {
  const operations = Object.values(document['paths'] as Record<string, Record<string, JsonObject>>).flatMap((path) =>
    Object.values(path),
  );
  const links = operations.flatMap((operation) =>
    Object.values(operation['responses'] as Record<string, JsonObject>).flatMap((response) =>
      Object.values((response['links'] ?? {}) as Record<string, Link>).map((link) => ({ operation, response, link })),
    ),
  );
  for (const { response, link } of links) {
    const target = operations.find(({ operationId }) => operationId === link.operationId);
    const pathParameters = (target?.['parameters'] as { name: string; in: string }[]).filter(
      (parameter) => parameter.in === 'path',
    );
    for (const [name, expression] of Object.entries(link.parameters)) {
      expect(pathParameters.map((parameter) => parameter.name)).toContain(name);
      expect([expression, schemaAt(response, expression) !== undefined]).toEqual([expression, true]);
    }
  }
  const linkNames = links.map(({ operation, link }) => `${String(operation['operationId'])} → ${link.operationId}`);
  expect(linkNames).toEqual(
    expect.arrayContaining([
      'createCollection → readCollection',
      'registerProfile → approveProfile',
      'createCollection → grantAccess',
      'grantAccess → revokeAccess',
      'searchCollections → readMetadata',
      'createTier → removeTier',
      'createOverride → updateOverride',
    ]),
  );
});

/** Returns the schema that a runtime expression points to in a response body (OpenAPI, "Runtime Expressions"). */
const schemaAt = (response: JsonObject, expression: string): unknown => {
  const content = response['content'] as Record<string, { schema: JsonObject }>;
  const pointer = /^\$response\.body#\/(.+)$/.exec(expression)?.[1] ?? '';
  return pointer.split('/').reduce<unknown>((schema, part) => {
    const resolvedSchema = resolve(schema) as JsonObject | undefined;
    return part === '0'
      ? resolvedSchema?.['items']
      : (resolvedSchema?.['properties'] as JsonObject | undefined)?.[part];
  }, content['application/json']?.schema);
};

const resolve = (schema: unknown): unknown => {
  const { $ref } = (schema ?? {}) as { $ref?: string };
  return $ref === undefined
    ? schema
    : $ref
        .split('/')
        .slice(1)
        .reduce<unknown>((value, part) => (value as JsonObject)[part], document);
};
