import type { AdminAuthority, Principal } from '../../access/principal.ts';
import { type AuditEntry, type AuditFilter, facetsOf } from '../../audit/audit-entry.ts';
import { parseDateTime } from '../../audit/date-time.ts';
import { type Page, pageOf, countPages } from '../../audit/pages.ts';
import { PorticoError } from '../../errors.ts';
import type { EntryId, ProfileId } from '../../ids.ts';
import { dayMs, toIso } from '../../instant.ts';
import type { Json } from '../../json.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import type { Ports } from '../../ports/index.ts';

export interface NewEntry {
  /** The text of the message, as sent. */
  readonly text: string;
  /** The parsed message. */
  readonly message: { readonly [key: string]: Json };
  /** The timestamp, in ISO 8601; null means now. */
  readonly timestamp: string | null;
}

/** Writes an entry for the caller; it is durable when the response is sent. */
export const writeAuditEntry =
  ({ clock, random, audit }: Pick<Ports, 'clock' | 'random' | 'audit'>) =>
  async ({ profile, deadline }: Principal, { text, message, timestamp }: NewEntry): Promise<AuditEntry> => {
    const receivedAt = clock.now();
    const instant = timestamp === null ? receivedAt : parseDateTime(timestamp);
    if (instant === null) throw new PorticoError('invalid_body', { reason: 'timestamp must be an ISO 8601 date-time' });
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
  /** The number of entries that match the filter, on all pages. */
  readonly total: number;
  readonly totalPages: number;
}

/** Returns a page of the log, newest first; a page past the end is empty, with the correct totals. */
export const readAuditPage =
  ({ audit }: Pick<Ports, 'audit'>) =>
  async (_authority: AdminAuthority, filter: AuditFilter, page: number, pageSize: number): Promise<AuditPage> => {
    const range = pageOf(page, pageSize);
    const { entries, total } = await audit.readPage(filter, range.offset, range.pageSize);
    return { ...range, entries, total, totalPages: countPages(total, range.pageSize) };
  };

/** Returns all entries that match a filter, newest first, as a stream. */
export const exportAudit =
  ({ audit }: Pick<Ports, 'audit'>) =>
  (_authority: AdminAuthority, filter: AuditFilter): AsyncIterable<AuditEntry> =>
    audit.export(filter);

/** An entry with the email or name of its actor; null if the actor no longer exists, or is the service itself. */
export interface NamedEntry extends AuditEntry {
  readonly actor: string | null;
}

/** Adds the actors' names to the entries of a page. */
export const nameActors =
  ({ audit }: Pick<Ports, 'audit'>) =>
  async (_authority: AdminAuthority, entries: readonly AuditEntry[]): Promise<readonly NamedEntry[]> => {
    const ids = actorsOf(entries);
    return addNames(entries, ids.length === 0 ? new Map() : await audit.findActorNames(ids));
  };

const nameBatchSize = 500;
/** The maximum number of actor names that an export caches. */
const cachedNamesMax = 50_000;

/** Like `exportAudit`, with actor names, which are looked up in batches, once for each actor. */
export const exportNamedAudit =
  ({ audit }: Pick<Ports, 'audit'>) =>
  (_authority: AdminAuthority, filter: AuditFilter): AsyncIterable<NamedEntry> =>
    nameEntries(audit, audit.export(filter));

async function* nameEntries(
  audit: Pick<AuditLog, 'findActorNames'>,
  entries: AsyncIterable<AuditEntry>,
): AsyncGenerator<NamedEntry> {
  let names = new Map<ProfileId, string | null>();
  for await (const batch of batchesOf(entries)) {
    if (names.size > cachedNamesMax) names = new Map();
    const unknownIds = actorsOf(batch).filter((id) => !names.has(id));
    const actorNames = unknownIds.length === 0 ? new Map<ProfileId, string>() : await audit.findActorNames(unknownIds);
    for (const id of unknownIds) names.set(id, actorNames.get(id) ?? null);
    yield* addNames(batch, names);
  }
}

async function* batchesOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<readonly AuditEntry[]> {
  let batch: AuditEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < nameBatchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const actorsOf = (entries: readonly AuditEntry[]): readonly ProfileId[] => [
  ...new Set(entries.flatMap(({ actorId }) => actorId ?? [])),
];

const addNames = (
  entries: readonly AuditEntry[],
  names: ReadonlyMap<ProfileId, string | null>,
): readonly NamedEntry[] =>
  entries.map((entry) => ({ ...entry, actor: (entry.actorId && names.get(entry.actorId)) ?? null }));

const pruneBatchSize = 1_000;

/**
 * Removes the oldest entries beyond the retention, at most 1,000; returns the number removed. Callers repeat the call
 * until it removes none, so that other work can run in between.
 */
export const pruneAudit =
  ({ audit, clock }: Pick<Ports, 'audit' | 'clock'>) =>
  (retentionDays: number): Promise<number> =>
    audit.prune(clock.now() - retentionDays * dayMs, pruneBatchSize);
