import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bytesFile, createKernelModule } from '../test/compile-kernel.ts';

test('the committed bytes of the kernel match its source', () => {
  expect(readFileSync(bytesFile, 'utf8')).toBe(createKernelModule());
});
