/** The size of a page where a request names none (specification, "Limits"). */
export const pageSizeDefault = 20;

/** More is cut to it, not refused (specification, section 6). */
export const pageSizeMax = 100;

export interface Page {
  /** From 1 on. */
  readonly page: number;
  /** 1 to `pageSizeMax`: as it was cut, not as it was asked for. */
  readonly pageSize: number;
  /** How many entries are on the pages before, or the largest exact integer where they are more. */
  readonly offset: number;
}

/** A page by its number from 1 on; a size above the maximum is cut to it. Both are exact integers. */
export const pageOf = (page: number, pageSize: number): Page => {
  const size = Math.min(pageSize, pageSizeMax);
  return { page, pageSize: size, offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER) };
};

/** 0 where there is no entry. */
export const totalPages = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
