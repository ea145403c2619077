/** The page size if a request specifies none (specification, "Limits"). */
export const pageSizeDefault = 20;

/** Larger sizes are reduced to it, not rejected (specification, section 6). */
export const pageSizeMax = 100;

export interface Page {
  /** Starts at 1. */
  readonly page: number;
  /** 1 to `pageSizeMax`: the size used, not the size requested. */
  readonly pageSize: number;
  /** The number of entries on the earlier pages, capped at the largest exact integer. */
  readonly offset: number;
}

/** Returns a page by its number, starting at 1; a size above the maximum is reduced to it. Both are exact integers. */
export const pageOf = (page: number, pageSize: number): Page => {
  const size = Math.min(pageSize, pageSizeMax);
  return { page, pageSize: size, offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER) };
};

/** 0 if there are no entries. */
export const totalPages = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
