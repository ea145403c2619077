import fc from 'fast-check';
import { expect } from 'vitest';
import { Containment, noExceptions } from '../src/changes/schemas/containment.ts';
import { SchemaComparison } from '../src/changes/schemas/compare-schemas.ts';
import { SchemaEquality } from '../src/changes/schemas/schema-equality.ts';
import { SchemaSpace } from '../src/changes/schemas/schema-space.ts';
import { ValueSampler } from '../src/changes/schemas/value-sampler.ts';
import { WorkBudget } from '../src/changes/schemas/work-budget.ts';
import { UnchangedParts } from '../src/changes/unchanged-parts.ts';
import type { Json } from '../src/json.ts';
import { anySchemaEdit, createAjvValidator, someValues, type SchemaEdit } from './schema-edits.ts';

const root = { $ref: '#/components/schemas/Root' };

const spacesOf = ({ before, after }: SchemaEdit): readonly [SchemaSpace, SchemaSpace] => {
  const budget = new WorkBudget(200_000);
  return [new SchemaSpace(before, budget), new SchemaSpace(after, budget)];
};

/** Checks for edits of schemas that no value refutes a proof that the earlier schema is contained in the later one. */
export const checkContainment = (numRuns: number): void => {
  fc.assert(
    fc.property(anySchemaEdit, someValues, (edit, values) => {
      const [narrow, wide] = spacesOf(edit);
      const equality = new SchemaEquality(narrow, wide);
      const node = narrow.nodeOf(root);
      if (!new Containment({ narrow, wide, equality }, noExceptions).isContained(node, wide.nodeOf(root))) return;
      const [isValidBefore, isValidAfter] = [edit.before, edit.after].map(createAjvValidator);
      for (const value of [...values, ...new ValueSampler(narrow).samples(node)])
        if (isValidBefore?.(value)) expect([value, isValidAfter?.(value)]).not.toEqual([value, false]);
    }),
    { numRuns },
  );
};

/** Checks for edits of schemas that one schema accepts each example of a difference and the other rejects it. */
export const checkExamples = (numRuns: number): void => {
  fc.assert(
    fc.property(anySchemaEdit, fc.constantFrom('request', 'response'), (edit, direction) => {
      const [before, after] = spacesOf(edit);
      const examples = new SchemaComparison(before, after, direction, new UnchangedParts(edit.before, edit.after))
        .compare(root, root)
        .flatMap(({ example }) => (example === undefined ? [] : [example]));
      if (examples.length === 0) return;
      const [isValidBefore, isValidAfter] = [edit.before, edit.after].map(createAjvValidator);
      for (const example of examples) {
        const verdicts: readonly (boolean | null | undefined)[] = [isValidBefore?.(example), isValidAfter?.(example)];
        // The code that ajv generates fails for some schemas that contain themselves.
        if (verdicts.includes(null)) continue;
        expect([example, ...verdicts]).toEqual([example, direction === 'request', direction !== 'request']);
      }
    }),
    { numRuns },
  );
};

/** Returns the differences of two schemas as `keyword effect place example`. */
export const differencesOf = (
  before: Json,
  after: Json,
  direction: 'request' | 'response' = 'request',
): readonly string[] => {
  const documentOf = (schema: Json) => ({ openapi: '3.1.0', components: { schemas: { Root: schema } } });
  const budget = new WorkBudget(1_000_000);
  const [document, newDocument] = [documentOf(before), documentOf(after)];
  const spaces = [new SchemaSpace(document, budget), new SchemaSpace(newDocument, budget)] as const;
  return new SchemaComparison(...spaces, direction, new UnchangedParts(document, newDocument))
    .compare(root, root)
    .map(({ difference: { keyword, subject }, effect, place, example }) =>
      [keyword, subject, effect, place, example === undefined ? undefined : JSON.stringify(example)]
        .filter((part) => part)
        .join(' '),
    );
};
