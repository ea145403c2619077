import { describe, expect, onTestFinished, test } from 'vitest';
import { testHostileDocuments } from '../test/hostile-documents.ts';
import { createDocumentReader } from './create-document-reader.ts';

describe('no value read from a document of ten million characters exceeds its limit', () =>
  testHostileDocuments(10_000_000));

test('a mapping of 100,000 names is read within the limit of 30 s, as YAML and as JSON', async () => {
  const documents = createDocumentReader();
  onTestFinished(() => documents.close());
  const names = Array.from({ length: 100_000 }, (_, i) => `"k${i}": 1`);
  const reason = /openapi must be a version/;
  const yaml = documents.readFile(Buffer.from(names.join('\n')));
  await expect(yaml).rejects.toThrow(reason);
  await expect(documents.readFile(Buffer.from(`{${names.join(',')}}`))).rejects.toThrow(reason);
});
