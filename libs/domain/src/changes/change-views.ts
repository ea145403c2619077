import { parseExactJson } from '../exact-json.ts';
import { toIso } from '../instant.ts';
import type { Change, Comparison } from './change.ts';

/** Returns a change in the form of the API (extensions, section 8). */
export const toChangeView = ({ operation, example, expected, ...fields }: Change) => ({
  rule: fields.rule,
  level: fields.level,
  operation_key: operation?.key ?? null,
  method: operation?.method ?? null,
  path: operation?.path ?? null,
  place: fields.place,
  text: fields.text,
  // Keeps the digits of numbers.
  example: example === null ? null : parseExactJson(example),
  fingerprint: fields.fingerprint,
  ...(expected ? { expected: { reason: expected.reason, until: toIso(expected.until) } } : {}),
});

/** The maximum number of changes that are listed after a change of a document. */
export const listedChangesMax = 100;

/** Returns the changes of a document in the form of the API; null stands for unknown changes. */
export const toDocumentChangesView = (comparison: Comparison | null) => {
  if (!comparison) return { counts: null, total: null, first: [] };
  const { breaking, warning, info } = comparison.counts;
  return {
    counts: { breaking, warning, info },
    total: breaking + warning + info,
    first: comparison.changes.slice(0, listedChangesMax).map(toChangeView),
  };
};
