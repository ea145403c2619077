import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileKernel, kernelModule, kernels, moduleFileOf } from '../test/compile-kernels.ts';

test.each(kernels)('the committed %s matches its source', (kernel) => {
  const bytes = compileKernel(kernel);
  expect(readFileSync(moduleFileOf(kernel), 'utf8')).toBe(kernelModule(kernel, bytes));
});
