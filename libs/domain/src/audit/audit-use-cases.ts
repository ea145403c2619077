import { facetsOf } from './entries.ts';
import { parseDateTime } from './date-time.ts';
import { pageOf, totalPages, type Page } from './pages.ts';
import type { Access, Authority } from '../access/access.ts';
import { PorticoError } from '../errors.ts';
import type { EntryId } from '../ids.ts';
import { toIso } from '../instant.ts';
import type { Json } from '../json.ts';
import type { AuditEntry, AuditFilter, Ports } from '../ports/index.ts';

export interface NewEntry {
  /** The text of the message as it was sent. */
  readonly text: string;
  /** The same, parsed. */
  readonly message: { readonly [key: string]: Json };
  /** ISO 8601; null means now. */
  readonly timestamp: string | null;
}

/** Writes an entry of the caller's; it is durable when it is answered. */
export const writeAuditEntry =
  ({ clock, chance, audit }: Pick<Ports, 'clock' | 'chance' | 'audit'>) =>
  async ({ profile, deadline }: Access, { text, message, timestamp }: NewEntry): Promise<AuditEntry> => {
    const receivedAt = clock.now();
    const instant = timestamp === null ? receivedAt : parseDateTime(timestamp);
    if (instant === null)
      throw new PorticoError('invalid_body', { because: 'timestamp must be an ISO 8601 date-time' });
    const entry: AuditEntry = {
      id: chance.uuid() as EntryId,
      source: 'client',
      actorId: profile.id,
      message: text,
      timestamp: timestamp ?? toIso(receivedAt),
      instant,
      receivedAt,
      facets: facetsOf(message),
    };
    await audit.append(entry, deadline);
    return entry;
  };

export interface AuditPage extends Page {
  readonly entries: readonly AuditEntry[];
  /** Entries under the filter, on all pages together. */
  readonly total: number;
  readonly totalPages: number;
}

/** A page of the log, newest first; one past the end is empty, with the right totals. */
export const readAuditPage =
  ({ audit }: Pick<Ports, 'audit'>) =>
  async (_authority: Authority, filter: AuditFilter, page: number, pageSize: number): Promise<AuditPage> => {
    const wanted = pageOf(page, pageSize);
    const { entries, total } = await audit.page(filter, wanted.offset, wanted.pageSize);
    return { ...wanted, entries, total, totalPages: totalPages(total, wanted.pageSize) };
  };

/** All entries under a filter, newest first, as a stream. */
export const exportAudit =
  ({ audit }: Pick<Ports, 'audit'>) =>
  (_authority: Authority, filter: AuditFilter): AsyncIterable<AuditEntry> =>
    audit.export(filter);

const pruneBatch = 1_000;

/**
 * Removes the oldest of the entries that are older than the retention, 1,000 at most; answers how many, so that whoever asks goes on
 * until there are none, and others come to their turn between.
 */
export const pruneAudit =
  ({ audit, clock }: Pick<Ports, 'audit' | 'clock'>) =>
  (retentionDays: number): Promise<number> =>
    audit.prune(clock.now() - retentionDays * 86_400_000, pruneBatch);
