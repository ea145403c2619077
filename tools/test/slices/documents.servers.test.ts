import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { operationDocument, type Json, type JsonObject } from '@portico/domain';
import { createDocumentReader } from '@portico/openapi';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import { present, realOperations } from './real-operations.ts';

const reader = createDocumentReader();
afterAll(() => reader.close());

const everyNth = 80;

describe.skipIf(!present)('an OpenAPI document of one operation of a real document', () => {
  test('meets the official schema as well as the whole one, and all its references resolve that resolved there', async () => {
    const wholes = new Map<string, number>();
    const faults: string[] = [];
    let index = 0;
    for (const { document, at, file, name } of realOperations()) {
      if (index++ % everyNth !== 0) continue;
      const text = operationDocument(document, at);
      const { warnings } = await reader.readFile(Buffer.from(text), 'json');
      const known = wholes.get(file) ?? (await violationsOf(file));
      wholes.set(file, known);
      if (warnings.total > known) faults.push(`${name}: ${JSON.stringify(warnings.first.slice(0, 2))}`);
      const cut = JSON.parse(text) as Json;
      const operations = Object.values((cut as { paths: Record<string, JsonObject> }).paths);
      expect(
        operations.flatMap((item) => Object.keys(item)).filter((key) => key === at.method.toLowerCase()),
      ).toHaveLength(1);
      for (const reference of referencesIn(cut)) {
        if (reference.startsWith('#/') && !leads(cut, reference) && leads(document, reference)) {
          faults.push(`${name}: ${reference}`);
        }
      }
    }
    expect(faults.slice(0, 6), `${faults.length} faults`).toEqual([]);
  });
});

const violationsOf = async (file: string): Promise<number> =>
  (await reader.readFile(readFileSync(join(resolve(root, '../shared/data/specs'), file)), 'json')).warnings.total;

function* referencesIn(value: Json): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const reference = (value as JsonObject)['$ref'];
  if (typeof reference === 'string') yield reference;
  for (const one of Object.values(value as JsonObject)) yield* referencesIn(one);
}

const leads = (document: Json, reference: string): boolean =>
  reference
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>((value, name) => (value as JsonObject | undefined)?.[name], document) !== undefined;
