import type { AuditEntry, AuditFilter, AuditLog, ProfileId, ServiceAccountId } from '@portico/domain';
import { frozenCopy, type MemoryDatabase } from './memory-database.ts';

export const createMemoryAuditLog = (database: MemoryDatabase): AuditLog => ({
  async append(entry, deadline) {
    deadline?.beginCommit();
    database.entries.push(frozenCopy(entry));
  },

  async page(filter, offset, limit) {
    const matches = newestFirst(database, filter);
    return { entries: matches.slice(offset, offset + limit), total: matches.length };
  },

  export(filter) {
    // The snapshot is taken when `export` is called, so later appends and prunes do not change it.
    const matches = newestFirst(database, filter);
    return (async function* () {
      yield* matches;
    })();
  },

  async actorNames(ids) {
    const names = ids.map((id) => [id, nameOf(database, id)] as const);
    return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])));
  },

  async prune(before, limit) {
    const pruned = new Set(
      database.entries
        .filter(({ receivedAt }) => receivedAt < before)
        .sort((a, b) => a.receivedAt - b.receivedAt)
        .slice(0, limit),
    );
    database.entries = database.entries.filter((entry) => !pruned.has(entry));
    return pruned.size;
  },
});

/** Returns the name of an actor, which is a profile or a service account. */
const nameOf = ({ profiles, serviceAccounts }: MemoryDatabase, id: ProfileId): string | undefined =>
  profiles.get(id)?.email ?? serviceAccounts.get(id as string as ServiceAccountId)?.account.name;

/**
 * Returns the matching entries, newest first. Sorting is stable, so reversing them beforehand puts the later of two
 * entries with the same instant first.
 */
const newestFirst = ({ entries }: MemoryDatabase, filter: AuditFilter): AuditEntry[] =>
  entries
    .filter((entry) => passes(entry, filter))
    .reverse()
    .sort((a, b) => b.instant - a.instant);

const passes = (entry: AuditEntry, filter: AuditFilter): boolean =>
  (filter.source === 'all' || entry.source === filter.source) &&
  (filter.actorId === undefined || entry.actorId === filter.actorId) &&
  (filter.clientId === undefined || entry.facets.clientId === filter.clientId) &&
  (filter.collectionId === undefined || entry.facets.collectionId === filter.collectionId) &&
  (filter.action === undefined || entry.facets.action === filter.action) &&
  (filter.from === undefined || entry.instant >= filter.from) &&
  (filter.to === undefined || entry.instant < filter.to);
