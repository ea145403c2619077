import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildOperationDocument, defaultCallSettings, type Json, type JsonObject } from '@portico/domain';
import { createDocumentReader } from '@portico/openapi';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import { hasRealDocuments, readRealOperations } from './real-operations.ts';

const reader = createDocumentReader();
afterAll(() => reader.close());

const step = 80;

describe.skipIf(!hasRealDocuments)('an OpenAPI document of one operation of a real document', () => {
  test('has no more violations than the whole document, and resolves every reference that the whole document resolves', async () => {
    const warningsByFile = new Map<string, number>();
    const faults: string[] = [];
    let index = 0;
    for (const { document, operation, file, name } of readRealOperations()) {
      if (index++ % step !== 0) continue;
      const text = buildOperationDocument(document, operation, defaultCallSettings);
      const { warnings } = await reader.readFile(Buffer.from(text));
      const documentWarnings = warningsByFile.get(file) ?? (await countWarnings(file));
      warningsByFile.set(file, documentWarnings);
      if (warnings.total > documentWarnings) faults.push(`${name}: ${JSON.stringify(warnings.first.slice(0, 2))}`);
      const slice = JSON.parse(text) as Json;
      const operations = Object.values((slice as { paths: Record<string, JsonObject> }).paths);
      expect(
        operations.flatMap((item) => Object.keys(item)).filter((key) => key === operation.method.toLowerCase()),
      ).toHaveLength(1);
      for (const reference of referencesIn(slice)) {
        if (reference.startsWith('#/') && !canResolve(slice, reference) && canResolve(document, reference)) {
          faults.push(`${name}: ${reference}`);
        }
      }
    }
    expect(faults.slice(0, 6), `${faults.length} faults`).toEqual([]);
  });
});

const countWarnings = async (file: string): Promise<number> =>
  (await reader.readFile(readFileSync(join(resolve(root, '../shared/data/specs'), file)))).warnings.total;

function* referencesIn(value: Json): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const reference = (value as JsonObject)['$ref'];
  if (typeof reference === 'string') yield reference;
  for (const member of Object.values(value as JsonObject)) yield* referencesIn(member);
}

const canResolve = (document: Json, reference: string): boolean =>
  reference
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>((value, name) => (value as JsonObject | undefined)?.[name], document) !== undefined;
