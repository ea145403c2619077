export const pageSizeDefault = 20;
export const pageSizeMax = 100;

export interface Page {
  readonly page: number;
  readonly pageSize: number;
  readonly offset: number;
}

/** A page by its number from 1 on; a size above the maximum is cut to it. */
export const pageOf = (page: number, pageSize: number): Page => {
  const size = Math.min(pageSize, pageSizeMax);
  return { page, pageSize: size, offset: (page - 1) * size };
};

export const totalPages = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
