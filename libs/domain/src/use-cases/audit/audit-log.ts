import type { AdminAuthority, Principal } from '../../access/principal.ts';
import { type AuditEntry, type AuditFilter, facetsOf } from '../../audit/audit-entry.ts';
import { parseDateTime } from '../../audit/date-time.ts';
import { type Page, pageOf, totalPages } from '../../audit/pages.ts';
import { PorticoError } from '../../errors.ts';
import type { EntryId, ProfileId } from '../../ids.ts';
import { dayMs, toIso } from '../../instant.ts';
import type { Json } from '../../json.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import type { Ports } from '../../ports/index.ts';

export interface NewEntry {
  /** The text of the message as sent. */
  readonly text: string;
  /** The same, parsed. */
  readonly message: { readonly [key: string]: Json };
  /** ISO 8601; null means now. */
  readonly timestamp: string | null;
}

/** Writes an entry for the caller; it is durable when the request is answered. */
export const writeAuditEntry =
  ({ clock, random, audit }: Pick<Ports, 'clock' | 'random' | 'audit'>) =>
  async ({ profile, deadline }: Principal, { text, message, timestamp }: NewEntry): Promise<AuditEntry> => {
    const receivedAt = clock.now();
    const instant = timestamp === null ? receivedAt : parseDateTime(timestamp);
    if (instant === null)
      throw new PorticoError('invalid_body', { because: 'timestamp must be an ISO 8601 date-time' });
    const entry: AuditEntry = {
      id: random.uuid() as EntryId,
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

/** An entry with its actor by e-mail or name; null if the actor is gone, and for the service itself. */
export interface NamedEntry extends AuditEntry {
  readonly actor: string | null;
}

/** Names the actors of a page. */
export const nameActors =
  ({ audit }: Pick<Ports, 'audit'>) =>
  async (_authority: AdminAuthority, entries: readonly AuditEntry[]): Promise<readonly NamedEntry[]> => {
    const ids = actorsOf(entries);
    return withNames(entries, ids.length === 0 ? new Map() : await audit.actorNames(ids));
  };

const lotMax = 500;
/** How many actors an export remembers at most. */
const namesMax = 50_000;

/** As `exportAudit`, with names: looked up in lots, each actor once. */
export const exportNamedAudit =
  ({ audit }: Pick<Ports, 'audit'>) =>
  (_authority: AdminAuthority, filter: AuditFilter): AsyncIterable<NamedEntry> =>
    named(audit, audit.export(filter));

async function* named(
  audit: Pick<AuditLog, 'actorNames'>,
  entries: AsyncIterable<AuditEntry>,
): AsyncGenerator<NamedEntry> {
  let names = new Map<ProfileId, string | null>();
  for await (const lot of lotsOf(entries)) {
    if (names.size > namesMax) names = new Map();
    const unknown = actorsOf(lot).filter((id) => !names.has(id));
    const found = unknown.length === 0 ? new Map<ProfileId, string>() : await audit.actorNames(unknown);
    for (const id of unknown) names.set(id, found.get(id) ?? null);
    yield* withNames(lot, names);
  }
}

async function* lotsOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<readonly AuditEntry[]> {
  let lot: AuditEntry[] = [];
  for await (const entry of entries) {
    lot.push(entry);
    if (lot.length < lotMax) continue;
    yield lot;
    lot = [];
  }
  if (lot.length > 0) yield lot;
}

const actorsOf = (entries: readonly AuditEntry[]): readonly ProfileId[] => [
  ...new Set(entries.flatMap(({ actorId }) => actorId ?? [])),
];

const withNames = (
  entries: readonly AuditEntry[],
  names: ReadonlyMap<ProfileId, string | null>,
): readonly NamedEntry[] =>
  entries.map((entry) => ({ ...entry, actor: (entry.actorId && names.get(entry.actorId)) ?? null }));

const pruneBatch = 1_000;

/**
 * Removes the oldest entries beyond the retention, at most 1,000; returns how many. Callers repeat it until none are
 * left, so that other work runs in between.
 */
export const pruneAudit =
  ({ audit, clock }: Pick<Ports, 'audit' | 'clock'>) =>
  (retentionDays: number): Promise<number> =>
    audit.prune(clock.now() - retentionDays * dayMs, pruneBatch);
