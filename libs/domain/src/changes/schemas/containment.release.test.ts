import { test } from 'vitest';
import { checkContainment, checkExamples } from '../../../test/check-containment.ts';

test('no value refutes a proof that a schema is contained in another, for 100,000 edits', () => {
  checkContainment(100_000);
});

test('each example is accepted by one schema and rejected by the other, for 10,000 edits', () => {
  checkExamples(10_000);
});
