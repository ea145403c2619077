import { setImmediate as yieldOnce } from 'node:timers/promises';
import { anEntry, noEffects, start } from '@portico/contracts';
import type { AuditEntry, AuditFilter, AuditSource } from '@portico/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { yieldEveryTime } from '../test/slices.ts';
import { describeDialects } from '../test/dialects.ts';
import { migrationOptions, withMigratedFile } from '../test/with-stores.ts';
import { createSqlAuditLog, type SqlAuditLog } from './audit-log.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';

const dayMs = 86_400_000;

/**
 * Runs work with an audit log on a file. Counts the log's commits; each commit waits for `gate` once its entries are
 * known.
 */
const withCountingLog = (
  work: (audit: SqlAuditLog, state: { commits: number; gate: Promise<unknown> }) => Promise<void>,
): Promise<void> =>
  withMigratedFile(async (file) => {
    const database = new SqliteDatabase(await openSqlite(file, migrationOptions), 1_000);
    const state = { commits: 0, gate: Promise.resolve() as Promise<unknown> };
    const countingDatabase: SqlDatabase = {
      reads: database.reads,
      withSnapshot: (work) => database.withSnapshot(work),
      disableIndex: (condition) => database.disableIndex(condition),
      findViolatedKey: (error) => database.findViolatedKey(error),
      transact: (work) => database.transact(work),
      async write(work) {
        const calls: Parameters<Sql['runEach']>[] = [];
        const recorder = { runEach: async (...args) => void calls.push(args) } as Sql;
        const result = await work(recorder);
        state.commits += 1;
        await state.gate;
        await database.write(async (sql) => {
          for (const args of calls) await sql.runEach(...args);
        });
        return result;
      },
    };
    const audit = createSqlAuditLog(countingDatabase, { idsInJson: '?' });
    await work(audit, state);
    await audit.close();
    await database.close();
  });

const waitForTicks = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await yieldOnce();
};

test('a hundred simultaneous entries are committed together, in order', () =>
  withCountingLog(async (audit, state) => {
    const entries = Array.from({ length: 100 }, () => anEntry());
    await Promise.all(entries.map((entry) => audit.append(entry, null)));
    expect(state.commits).toBe(1);
    expect(await audit.readPage({ source: 'client' }, 0, 200)).toEqual({ entries: entries.toReversed(), total: 100 });
  }));

test('entries appended during a commit wait for it, and share the next commit', () =>
  withCountingLog(async (audit, state) => {
    const entries = Array.from({ length: 4 }, () => anEntry());
    const { promise, resolve } = Promise.withResolvers<void>();
    state.gate = promise;
    const pendingAppends: Promise<void>[] = [];
    for (const entry of entries.slice(0, 3)) {
      pendingAppends.push(audit.append(entry, null));
      await waitForTicks();
      expect(state.commits).toBe(1);
    }
    resolve();
    await Promise.all(pendingAppends);
    expect(state.commits).toBe(2);
    for (const entry of entries.slice(3)) await audit.append(entry, null);
    expect(state.commits).toBe(3);
    expect((await audit.readPage({ source: 'client' }, 0, 9)).entries).toEqual(entries.toReversed());
  }));

test('a commit that hangs delays the next one by at most two seconds', () =>
  withCountingLog(async (audit, state) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise, resolve } = Promise.withResolvers<void>();
    state.gate = promise;
    const pendingAppend = audit.append(anEntry(), null);
    await waitForTicks();
    state.gate = Promise.resolve();
    const next = audit.append(anEntry(), null);
    await waitForTicks();
    vi.advanceTimersByTime(1_999);
    await waitForTicks();
    expect(state.commits).toBe(1);
    vi.advanceTimersByTime(1);
    await next;
    expect(state.commits).toBe(2);
    resolve();
    await pendingAppend;
  }));

/** mulberry32, which generates the same numbers in every run. */
const createRandom = (seed: number) => {
  let state = seed;
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
};

/** Returns the page that the log must return, computed from all entries. */
const computeExpectedPage = (log: readonly AuditEntry[], filter: AuditFilter, offset: number, limit: number) => {
  const matches = log
    .filter(({ source }) => filter.source === 'all' || filter.source === source)
    .filter(({ actorId }) => filter.actorId === undefined || filter.actorId === actorId)
    .filter(({ instant }) => instant >= (filter.from ?? -Infinity) && instant < (filter.to ?? Infinity))
    .toReversed()
    .sort((a, b) => b.instant - a.instant);
  return { entries: matches.slice(offset, offset + limit), total: matches.length };
};

describeDialects(({ withStores }) => {
  test('entries of the same instant keep the order in which they were written, regardless of the writer', () =>
    withStores(async ({ stores: { audit, embeddingJobs } }) => {
      // The ids are in the opposite order, so that nothing else sorts the entries in this order.
      const entries = Array.from({ length: 6 }, () => anEntry({ instant: 5 })).toReversed();
      for (const [i, entry] of entries.entries()) {
        if (i % 2) await audit.append(entry, null);
        else await embeddingJobs.enqueue({ ...noEffects, entries: [entry] });
      }
      expect((await audit.readPage({ source: 'all' }, 0, 10)).entries).toEqual(entries.toReversed());
    }));

  test('an entry is readable once its promise is fulfilled', () =>
    withStores(async ({ stores: { audit } }) => {
      await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const entry = anEntry({ facets: { clientId: null, collectionId: null, action: `action ${n}` } });
          await audit.append(entry, null);
          expect((await audit.readPage({ source: 'client', action: `action ${n}` }, 0, 1)).entries).toEqual([entry]);
        }),
      );
    }));

  test.for([1, 2, 3])('every page and total is correct after random additions and removals (seed %i)', (seed) =>
    withStores(async ({ stores: { audit } }) => {
      const randomBelow = createRandom(seed);
      const sources: readonly AuditSource[] = ['client', 'client', 'system'];
      const actors = [null, anEntry().id as unknown as AuditEntry['actorId']];
      let log: AuditEntry[] = [];
      for (let round = 0; round < 12; round += 1) {
        const newEntries = Array.from({ length: randomBelow(40) }, () =>
          anEntry({
            source: sources[randomBelow(3)] ?? 'client',
            actorId: actors[randomBelow(2)] ?? null,
            // A few days with a few instants each, some of them before 1970, so that ties and day boundaries are
            // common.
            instant: (randomBelow(7) - 3) * dayMs + [0, 1, dayMs - 1][randomBelow(3)]!,
            receivedAt: start + randomBelow(50),
          }),
        );
        await Promise.all(newEntries.map((entry) => audit.append(entry, null)));
        log.push(...newEntries);
        if (randomBelow(3) === 0) {
          const before = start + randomBelow(50);
          const limit = randomBelow(20) + 1;
          const prunedEntries = new Set(
            log
              .filter(({ receivedAt }) => receivedAt < before)
              .sort((a, b) => a.receivedAt - b.receivedAt)
              .slice(0, limit),
          );
          expect(await audit.prune(before, limit)).toBe(prunedEntries.size);
          log = log.filter((entry) => !prunedEntries.has(entry));
        }
        const actor = actors[1];
        const filters: AuditFilter[] = [
          { source: 'client' },
          { source: 'system' },
          { source: 'all' },
          { source: 'all', from: -dayMs, to: dayMs },
          ...(actor ? [{ source: 'client' as const, actorId: actor }] : []),
        ];
        for (const filter of filters) {
          const limit = randomBelow(9) + 1;
          for (let offset = 0; offset <= log.length + 1; offset += 1 + randomBelow(3)) {
            expect(await audit.readPage(filter, offset, limit)).toEqual(
              computeExpectedPage(log, filter, offset, limit),
            );
          }
        }
      }
    }),
  );

  test('an export of several batches contains each entry once, and no entries that are added later', () =>
    withStores(async ({ stores: { audit } }) => {
      const entries = Array.from({ length: 1_201 }, (_, n) => anEntry({ instant: start + (n % 7) }));
      await Promise.all(entries.map((entry) => audit.append(entry, null)));
      const exportedEntries: AuditEntry[] = [];
      for await (const entry of audit.export({ source: 'client' })) {
        if (exportedEntries.length === 0) await audit.append(anEntry({ instant: start - 1 }), null);
        exportedEntries.push(entry);
      }
      expect(exportedEntries).toEqual(computeExpectedPage(entries, { source: 'client' }, 0, 2_000).entries);
    }));

  test('an export yields to the event loop after each batch', () =>
    withStores(async ({ stores: { audit, embeddingJobs } }) => {
      yieldEveryTime();
      const entries = Array.from({ length: 3_000 }, () => anEntry());
      await embeddingJobs.enqueue({ ...noEffects, entries });
      let ticks = 0;
      const readEntries: AuditEntry[] = [];
      const immediate = setImmediate(function countTick() {
        ticks += 1;
        if (readEntries.length < entries.length) setImmediate(countTick);
      });
      for await (const entry of audit.export({ source: 'client' })) readEntries.push(entry);
      clearImmediate(immediate);
      expect(ticks).toBeGreaterThanOrEqual(5);
    }));
});
