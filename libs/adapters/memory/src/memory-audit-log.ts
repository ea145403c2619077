import type { AuditEntry, AuditFilter, AuditLog, ProfileId, ServiceAccountId } from '@portico/domain';
import { kept, type MemoryDatabase } from './memory-database.ts';

export const createMemoryAuditLog = (database: MemoryDatabase): AuditLog => ({
  async append(entry, deadline) {
    deadline?.beginCommit();
    database.entries.push(kept(entry));
  },

  async page(filter, offset, limit) {
    const found = newestFirst(database, filter);
    return { entries: found.slice(offset, offset + limit), total: found.length };
  },

  export(filter) {
    // A snapshot taken at the call: later appends and prunings do not change it.
    const found = newestFirst(database, filter);
    return (async function* () {
      yield* found;
    })();
  },

  async actorNames(ids) {
    const named = ids.map((id) => [id, nameOf(database, id)] as const);
    return new Map(named.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])));
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

/** An actor's id is that of a profile or of a service account. */
const nameOf = ({ profiles, serviceAccounts }: MemoryDatabase, id: ProfileId): string | undefined =>
  profiles.get(id)?.email ?? serviceAccounts.get(id as string as ServiceAccountId)?.account.name;

/** Sorting is stable: reversing first puts the later of two equal instants first. */
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
