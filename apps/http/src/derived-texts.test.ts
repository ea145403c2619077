import type { CollectionId } from '@portico/domain';
import { expect, test } from 'vitest';
import { cursor, cursorOf } from './routes/list-cursor.ts';

const id = '0b9f6a52-3c1e-4c60-9b65-000000000001' as CollectionId;

test('the cursor of the longest name fits into a header and a URL', () => {
  // Each character uses 4 bytes, or three times as many after normalization.
  const longestEntry = { id, name: '\u{1d160}'.repeat(200) };
  expect(cursorOf(longestEntry).length).toBeLessThan(4_000);
  expect(cursor.parse(cursorOf(longestEntry)).id).toBe(id);
});
