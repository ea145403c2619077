/** The page size if a request specifies none (specification, "Limits"). */
export const pageSizeDefault = 20;

/** The maximum page size; larger sizes are reduced to it, not rejected (specification, section 6). */
export const pageSizeMax = 100;

export interface Page {
  /** The page number, starting at 1. */
  readonly page: number;
  /** The page size that is used, from 1 to `pageSizeMax`; not necessarily the size requested. */
  readonly pageSize: number;
  /** The number of entries on the earlier pages, capped at the largest exact integer. */
  readonly offset: number;
}

/**
 * Returns the page with this number, starting at 1, and reduces a size above the maximum to it. Both arguments are
 * exact integers.
 */
export const pageOf = (page: number, pageSize: number): Page => {
  const size = Math.min(pageSize, pageSizeMax);
  return { page, pageSize: size, offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER) };
};

/** Returns the number of pages, 0 if there are no entries. */
export const countPages = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
