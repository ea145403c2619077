import type { CallResult } from '../../api/call.ts';

export type Operation = CallResult<'GET /api/collections/:collection_id/operations'>[number];

/** A row of the list: an operation, or the tag of the operations below it. */
export type Row =
  | { readonly kind: 'tag'; readonly key: string; readonly tag: string | null }
  | { readonly kind: 'operation'; readonly key: string; readonly operation: Operation };

/**
 * Returns the operations in document order, with a heading wherever the first tag changes, so that rows never move when
 * the next page loads. Without tags, there are no headings.
 */
export const rowsOf = (operations: readonly Operation[]): readonly Row[] => {
  const rows: Row[] = [];
  let lastTag: string | null = null;
  for (const operation of operations) {
    const tag = operation.tags[0] ?? null;
    if (tag !== lastTag) rows.push({ kind: 'tag', key: `tag before ${operation.operation_key}`, tag });
    rows.push({ kind: 'operation', key: operation.operation_key, operation });
    lastTag = tag;
  }
  return rows;
};

/** Returns the index of the nearest operation in a direction; undefined at the end. */
export const findNextOperation = (rows: readonly Row[], from: number, step: 1 | -1): number | undefined => {
  for (let index = from + step; index >= 0 && index < rows.length; index += step)
    if (rows[index]?.kind === 'operation') return index;
  return undefined;
};
