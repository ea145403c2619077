import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call, type CallResult } from '../../api/call.ts';
import type { AuditQuery } from './audit-query.ts';

export type Entry = CallResult<'GET /api/audit/'>['data'][number];

const pageSize = 100;

/** Reads the log by page number; an entry that moved to the next page in the meantime is shown only once. */
export const useAuditPages = (query: AuditQuery, enabled: boolean) => {
  const pages = useInfiniteQuery({
    queryKey: ['GET /api/audit/', query],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/audit/', { query: { ...query, include: 'actor,names', page: pageParam, pageSize }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
    enabled,
    placeholderData: keepPreviousData,
  });
  const rows = new Map(pages.data?.pages.flatMap(({ data }) => data.map((entry) => [entry.id, entry] as const)));
  return { ...pages, rows: [...rows.values()], total: pages.data?.pages.at(-1)?.total ?? null };
};
