import { documentReaderContract, documentVersionsContract } from '@portico/contracts';
import { afterAll, describe, test } from 'vitest';
import { createDocumentReader } from './create-document-reader.ts';

describe('a reader in a worker thread', () => {
  const reader = createDocumentReader();
  afterAll(() => reader.close());

  for (const [sentence, check] of Object.entries({ ...documentReaderContract, ...documentVersionsContract })) {
    test(sentence, async () => {
      await check(reader);
    });
  }
});
