import type { AuditEntry, AuditFilter, AuditLog, ProfileId, ServiceAccountId } from '@portico/domain';
import { copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryAuditLog = (database: MemoryDatabase): AuditLog => ({
  async append(entry, deadline) {
    deadline?.beginCommit();
    database.entries.push(copyFrozen(entry));
  },

  async readPage(filter, offset, limit) {
    const matches = listNewestFirst(database, filter);
    return { entries: matches.slice(offset, offset + limit), total: matches.length };
  },

  export(filter) {
    // The snapshot is taken when `export` is called, so later appends and prunes do not change it.
    const matches = listNewestFirst(database, filter);
    return (async function* () {
      yield* matches;
    })();
  },

  async findActorNames(ids) {
    const names = ids.map((id) => [id, nameOf(database, id)] as const);
    return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])));
  },

  async prune(before, limit) {
    const prunedEntries = new Set(
      database.entries
        .filter(({ receivedAt }) => receivedAt < before)
        .sort((a, b) => a.receivedAt - b.receivedAt)
        .slice(0, limit),
    );
    database.entries = database.entries.filter((entry) => !prunedEntries.has(entry));
    return prunedEntries.size;
  },
});

/** Returns the name of an actor, which is a profile or a service account. */
const nameOf = ({ profiles, serviceAccounts }: MemoryDatabase, id: ProfileId): string | undefined =>
  profiles.get(id)?.email ?? serviceAccounts.get(id as string as ServiceAccountId)?.account.name;

/**
 * Returns the matching entries, newest first. Sorting is stable, so reversing them beforehand puts the later of two
 * entries with the same instant first.
 */
const listNewestFirst = ({ entries }: MemoryDatabase, filter: AuditFilter): AuditEntry[] =>
  entries
    .filter((entry) => matchesFilter(entry, filter))
    .reverse()
    .sort((a, b) => b.instant - a.instant);

const matchesFilter = (entry: AuditEntry, filter: AuditFilter): boolean =>
  (filter.source === 'all' || entry.source === filter.source) &&
  (filter.actorId === undefined || entry.actorId === filter.actorId) &&
  (filter.clientId === undefined || entry.facets.clientId === filter.clientId) &&
  (filter.collectionId === undefined || entry.facets.collectionId === filter.collectionId) &&
  (filter.action === undefined || entry.facets.action === filter.action) &&
  (filter.from === undefined || entry.instant >= filter.from) &&
  (filter.to === undefined || entry.instant < filter.to);
