import type { AdminAuthority } from '../../access/principal.ts';
import type { AuditEntry, AuditFilter } from '../../audit/audit-entry.ts';
import { type Page, pageOf, totalPages } from '../../audit/pages.ts';
import type { Ports } from '../../ports/index.ts';

export interface AuditPage extends Page {
  readonly entries: readonly AuditEntry[];
  /** The number of entries under the filter, over all pages. */
  readonly total: number;
  readonly totalPages: number;
}

/** Returns a page of the log, newest first; a page past the end is empty, with the right totals. */
export const readAuditPage =
  ({ audit }: Pick<Ports, 'audit'>) =>
  async (_authority: AdminAuthority, filter: AuditFilter, page: number, pageSize: number): Promise<AuditPage> => {
    const wanted = pageOf(page, pageSize);
    const { entries, total } = await audit.page(filter, wanted.offset, wanted.pageSize);
    return { ...wanted, entries, total, totalPages: totalPages(total, wanted.pageSize) };
  };

/** Returns all entries under a filter, newest first, as a stream. */
export const exportAudit =
  ({ audit }: Pick<Ports, 'audit'>) =>
  (_authority: AdminAuthority, filter: AuditFilter): AsyncIterable<AuditEntry> =>
    audit.export(filter);
