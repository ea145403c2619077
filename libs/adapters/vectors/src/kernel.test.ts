import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileKernel, kernelModule } from '../test/compile-kernel.ts';
import { kernelBase64 } from './kernel.ts';

test('the committed kernel matches its source', () => {
  const bytes = compileKernel();
  expect(Buffer.from(kernelBase64, 'base64').equals(bytes)).toBe(true);
  expect(readFileSync(new URL('./kernel.ts', import.meta.url), 'utf8')).toBe(kernelModule(bytes));
});
