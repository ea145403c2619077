import type { Answered } from '../../api/call.ts';

export type Operation = Answered<'GET /api/collections/:collection_id/operations'>[number];

/** A line of the list: an operation, or the tag that the operations below it have. */
export type Row =
  | { readonly kind: 'tag'; readonly key: string; readonly tag: string | null }
  | { readonly kind: 'operation'; readonly key: string; readonly operation: Operation };

/**
 * In the document's order, with a heading where the first tag changes: what was shown never moves when the next page
 * comes. Without any tag there are no headings.
 */
export const rowsOf = (operations: readonly Operation[]): readonly Row[] => {
  const rows: Row[] = [];
  let last: string | null = null;
  for (const operation of operations) {
    const tag = operation.tags[0] ?? null;
    if (tag !== last) rows.push({ kind: 'tag', key: `tag before ${operation.operation_key}`, tag });
    rows.push({ kind: 'operation', key: operation.operation_key, operation });
    last = tag;
  }
  return rows;
};

/** The nearest operation from here on in a direction; undefined at the end. */
export const nextOperation = (rows: readonly Row[], from: number, step: 1 | -1): number | undefined => {
  for (let index = from + step; index >= 0 && index < rows.length; index += step)
    if (rows[index]?.kind === 'operation') return index;
  return undefined;
};
