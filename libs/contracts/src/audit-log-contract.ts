import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { dayMs, type AuditEntry, type AuditFilter, type ProfileId } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aProfile, aTier, anAccount, anAccountKey, anEntry, endOfTime, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `AuditLog`. */
export const auditLogContract = {
  'an entry is returned exactly as it was appended': async ({ audit }) => {
    const plainEntry = anEntry();
    const fullEntry = anEntry({
      source: 'system',
      actorId: nextId(),
      message: '{"a":1.0, "a":2,"__proto__":{"x":1},"text":"größer 愛 \\u0000"}',
      timestamp: '1899-12-31T23:30:00.0005-00:30',
      instant: Date.UTC(1900, 0, 1),
      receivedAt: start + 7,
      facets: { clientId: 'C 1', collectionId: 'no uuid', action: 'größe' },
    });
    for (const entry of [plainEntry, fullEntry]) await audit.append(entry, null);
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [plainEntry, fullEntry]);
  },

  'entries are ordered by instant, newest first, not by the time of arrival': async ({ audit }) => {
    const [oldest, newest, middle] = await appendEntries(audit, [
      { instant: start, receivedAt: start + 9 },
      { instant: start + 2, receivedAt: start + 3, timestamp: '1999-01-01' },
      { instant: start + 1, receivedAt: start + 1, timestamp: '2999-01-01' },
    ]);
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [newest, middle, oldest]);
  },

  'ordering and filtering distinguish instants to the microsecond': async ({ audit }) => {
    const [second, third, first] = await appendEntries(audit, [
      { instant: start + 0.002, receivedAt: start },
      { instant: start + 0.003, receivedAt: start },
      { instant: start + 0.001, receivedAt: start },
    ]);
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [third, second, first]);
    deepStrictEqual((await audit.readPage({ ...allSources, from: start + 0.002, to: start + 0.003 }, 0, 9)).entries, [
      second,
    ]);
    deepStrictEqual(await exportAll(audit, allSources), [third, second, first]);
  },

  'entries with the same instant are ordered by insertion, newest first': async (stores) => {
    const { audit } = stores;
    const third = anEntry();
    const [first, second] = await appendEntries(audit, [{}, {}]);
    const [fourth, fifth] = [anEntry(), anEntry()];
    await audit.append(third, null);
    await stores.embeddingJobs.enqueue({ entries: [fifth, fourth], jobs: [], deadline: null });
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [fourth, fifth, third, second, first]);
  },

  'a page starts at its offset and does not exceed its limit': async ({ audit }) => {
    const entries = (await appendEntries(audit, [{}, {}, {}, {}, {}])).reverse();
    deepStrictEqual((await audit.readPage(allSources, 0, 2)).entries, entries.slice(0, 2));
    deepStrictEqual((await audit.readPage(allSources, 1, 3)).entries, entries.slice(1, 4));
    deepStrictEqual((await audit.readPage(allSources, 4, 3)).entries, entries.slice(4));
  },

  'a page past the end is empty and has the correct total': async ({ audit }) => {
    await appendEntries(audit, [{}, {}, {}]);
    deepStrictEqual(await audit.readPage(allSources, 3, 2), { entries: [], total: 3 });
    deepStrictEqual(await audit.readPage(allSources, 1_000_000, 2), { entries: [], total: 3 });
  },

  'a page of an empty log is empty, with a total of 0': async ({ audit }) => {
    deepStrictEqual(await audit.readPage(allSources, 0, 20), { entries: [], total: 0 });
  },

  'the total counts every entry that matches the filter, regardless of the page': async ({ audit }) => {
    await appendEntries(audit, [{ source: 'system' }, {}, {}, { source: 'system' }, {}]);
    const filters = [allSources, { source: 'client' }, { source: 'system' }] as const;
    const pages = await Promise.all(filters.map((filter) => audit.readPage(filter, 0, 1)));
    deepStrictEqual(
      pages.map(({ total }) => total),
      [5, 3, 2],
    );
  },

  'the total counts entries that other stores write as effects': async (stores) => {
    const entries = [anEntry(), anEntry({ source: 'system' })];
    await appendEntries(stores.audit, [{}]);
    await stores.limits.addTier(aTier(), { entries, jobs: [], deadline: null });
    strictEqual((await stores.audit.readPage(allSources, 0, 1)).total, 3);
    strictEqual((await stores.audit.readPage({ source: 'system' }, 0, 1)).total, 1);
  },

  'a filter by source matches the entries of that source, or of both sources for "all"': async ({ audit }) => {
    const [client, system] = await appendEntries(audit, [{ source: 'client' }, { source: 'system' }]);
    await assertMatches(audit, { source: 'client' }, [client]);
    await assertMatches(audit, { source: 'system' }, [system]);
    await assertMatches(audit, allSources, [system, client]);
  },

  'a filter by actor matches the entries of that actor': async ({ audit }) => {
    const actorId = nextId<NonNullable<AuditEntry['actorId']>>();
    const [entry] = await appendEntries(audit, [{ actorId }, { actorId: nextId() }, { actorId: null }]);
    await assertMatches(audit, { ...allSources, actorId }, [entry]);
  },

  'a filter by client, collection or action matches the entries with exactly that facet': async ({ audit }) => {
    for (const facet of ['clientId', 'collectionId', 'action'] as const) {
      const facets = { clientId: null, collectionId: null, action: null };
      const value = `Größe ${facet}`;
      const [entry] = await appendEntries(audit, [
        { facets: { ...facets, [facet]: value } },
        { facets: { ...facets, [facet]: value.toLowerCase() } },
        { facets: { ...facets, [facet]: `${value} ` } },
        { facets },
      ]);
      await assertMatches(audit, { ...allSources, [facet]: value }, [entry]);
    }
  },

  'a filter includes `from` and excludes `to`': async ({ audit }) => {
    const [first, second, third] = await appendEntries(audit, [
      { instant: start, receivedAt: start + 9 },
      { instant: start + 1, receivedAt: start + 9 },
      { instant: start + 2, receivedAt: start + 9 },
    ]);
    await assertMatches(audit, { ...allSources, from: start + 1 }, [third, second]);
    await assertMatches(audit, { ...allSources, to: start + 1 }, [first]);
    await assertMatches(audit, { ...allSources, from: start + 1, to: start + 2 }, [second]);
    await assertMatches(audit, { ...allSources, from: start + 1, to: start + 1 }, []);
  },

  'the total of a range of several days is the number of its entries, at any time of day': async ({ audit }) => {
    const noon = start - (start % dayMs) + dayMs / 2;
    const instants = [-2, -1, -0.5, 0, 0.25, 0.5, 1, 1, 2.5, 3].map((days) => noon + days * dayMs);
    for (const [index, instant] of instants.entries())
      await appendEntries(audit, [{ instant, receivedAt: instant, source: index % 2 ? 'system' : 'client' }]);
    const bounds = [
      undefined,
      noon - 2 * dayMs,
      noon - 0.5 * dayMs,
      noon,
      noon + 0.5 * dayMs,
      noon + dayMs + 1,
      noon + 9 * dayMs,
    ];
    for (const source of ['all', 'client', 'system'] as const)
      for (const from of bounds)
        for (const to of bounds) {
          const filter = { source, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
          const { entries, total } = await audit.readPage(filter, 0, 99);
          strictEqual(total, entries.length);
        }
  },

  'all conditions of a filter must hold': async ({ audit }) => {
    const matchingEntry = {
      source: 'system',
      actorId: nextId<NonNullable<AuditEntry['actorId']>>(),
      instant: start,
      facets: { clientId: 'c', collectionId: 'l', action: 'a' },
    } as const;
    const [entry] = await appendEntries(audit, [
      matchingEntry,
      { ...matchingEntry, source: 'client' },
      { ...matchingEntry, actorId: null },
      { ...matchingEntry, instant: start + 1 },
      { ...matchingEntry, instant: start - 1 },
      { ...matchingEntry, facets: { ...matchingEntry.facets, clientId: 'x' } },
      { ...matchingEntry, facets: { ...matchingEntry.facets, collectionId: 'x' } },
      { ...matchingEntry, facets: { ...matchingEntry.facets, action: 'x' } },
    ]);
    const { source, actorId, facets } = matchingEntry;
    await assertMatches(audit, { source, actorId, ...facets, from: start, to: start + 1 }, [entry]);
  },

  'an export yields every entry once, in the order of pages': async (stores) => {
    const entries = Array.from({ length: 1_500 }, (_, index) => anEntry({ instant: start + (index % 3) }));
    await stores.embeddingJobs.enqueue({ entries, jobs: [], deadline: null });
    const exportedEntries = await exportAll(stores.audit, allSources);
    deepStrictEqual(idsOf(exportedEntries), idsOf((await stores.audit.readPage(allSources, 0, 2_000)).entries));
    strictEqual(exportedEntries.length, 1_500);
  },

  'an export yields only entries that match the filter': async ({ audit }) => {
    const [client] = await appendEntries(audit, [{ source: 'client' }, { source: 'system' }]);
    deepStrictEqual(await exportAll(audit, { source: 'client' }), [client]);
  },

  'an export yields each entry that existed at its start once, even if entries are appended during the export': async (
    stores,
  ) => {
    const entries = Array.from({ length: 1_200 }, (_, index) => anEntry({ instant: start + index }));
    await stores.embeddingJobs.enqueue({ entries, jobs: [], deadline: null });
    const exportedEntries: AuditEntry[] = [];
    for await (const entry of stores.audit.export(allSources)) {
      if (exportedEntries.length % 300 === 0)
        await appendEntries(stores.audit, [{ instant: endOfTime }, { instant: start + 1 }]);
      exportedEntries.push(entry);
    }
    const presentIds = new Set(idsOf(entries));
    deepStrictEqual(
      idsOf(exportedEntries).filter((id) => presentIds.has(id)),
      idsOf(entries).reverse(),
    );
    strictEqual(new Set(idsOf(exportedEntries)).size, exportedEntries.length);
  },

  'an export can be stopped early': async ({ audit }) => {
    const [, second] = await appendEntries(audit, [{}, {}]);
    for await (const entry of audit.export(allSources)) {
      deepStrictEqual(entry, second);
      break;
    }
    strictEqual((await audit.readPage(allSources, 0, 9)).total, 2);
    await appendEntries(audit, [{}]);
    strictEqual((await exportAll(audit, allSources)).length, 3);
  },

  'pruning removes entries received before the instant, but not at it': async ({ audit }) => {
    const [, boundaryEntry, laterEntry] = await appendEntries(audit, [
      { receivedAt: start, instant: start + 99 },
      { receivedAt: start + 1, instant: start + 1 },
      { receivedAt: start + 2, instant: start - 99 },
    ]);
    strictEqual(await audit.prune(start + 1, 9), 1);
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [boundaryEntry, laterEntry]);
  },

  'pruning removes at most its limit, oldest first, and returns the number of removed entries': async ({ audit }) => {
    const [third, first, second] = await appendEntries(audit, [
      { receivedAt: start + 2 },
      { receivedAt: start },
      { receivedAt: start + 1 },
    ]);
    ok(first && second);
    strictEqual(await audit.prune(endOfTime, 2), 2);
    deepStrictEqual((await audit.readPage(allSources, 0, 9)).entries, [third]);
    strictEqual(await audit.prune(endOfTime, 2), 1);
    strictEqual(await audit.prune(endOfTime, 2), 0);
  },

  'totals are correct after pruning': async ({ audit }) => {
    await appendEntries(audit, [
      { receivedAt: start, source: 'system' },
      { receivedAt: start, facets: { clientId: 'c', collectionId: null, action: null } },
      { receivedAt: start + 1 },
      { receivedAt: start + 1, source: 'system', facets: { clientId: 'c', collectionId: null, action: null } },
    ]);
    await audit.prune(start + 1, 9);
    const filters: AuditFilter[] = [
      allSources,
      { source: 'client' },
      { source: 'system' },
      { ...allSources, clientId: 'c' },
    ];
    const pages = await Promise.all(filters.map((filter) => audit.readPage(filter, 0, 9)));
    deepStrictEqual(
      pages.map(({ total }) => total),
      [2, 1, 1, 1],
    );
    await appendEntries(audit, [{}]);
    strictEqual((await audit.readPage(allSources, 0, 9)).total, 3);
  },

  'pages of a long log are consistent, even after pruning in the middle': async (stores) => {
    const entries = Array.from({ length: 1_200 }, (_, index) =>
      anEntry({
        source: index % 4 === 0 ? 'system' : 'client',
        instant: start + ((index * 7) % 40),
        receivedAt: index % 600 < 200 ? start : start + 1,
      }),
    );
    await stores.embeddingJobs.enqueue({ entries, jobs: [], deadline: null });
    strictEqual(await stores.audit.prune(start + 1, 300), 300);
    for (const filter of [allSources, { source: 'client' }] as const) {
      const fullPage = await stores.audit.readPage(filter, 0, 1_200);
      for (const offset of [1, 299, 300, 301, 512, 640, fullPage.total - 1]) {
        const page = await stores.audit.readPage(filter, offset, 20);
        deepStrictEqual(idsOf(page.entries), idsOf(fullPage.entries.slice(offset, offset + 20)));
        deepStrictEqual([page.total, fullPage.total], [fullPage.entries.length, fullPage.entries.length]);
      }
    }
  },

  'pages and totals are correct in a long log of bursts with instants in any order': async (stores) => {
    const instantOf = (index: number) => (index % 3 ? start + 5_000 : start + ((index * 7_919) % 10_007));
    const entries = Array.from({ length: 9_000 }, (_, index) =>
      anEntry({ source: index % 5 ? 'client' : 'system', instant: instantOf(index), receivedAt: start + (index % 2) }),
    );
    for (let batchStart = 0; batchStart < entries.length; batchStart += 1_500)
      await stores.embeddingJobs.enqueue({
        entries: entries.slice(batchStart, batchStart + 1_500),
        jobs: [],
        deadline: null,
      });
    const newestFirst = entries.toReversed().sort((a, b) => b.instant - a.instant);
    const assertPages = async (log: readonly AuditEntry[]): Promise<void> => {
      for (const source of ['all', 'client', 'system'] as const) {
        const matchingEntries = log.filter((entry) => source === 'all' || entry.source === source);
        for (let offset = 0; offset < matchingEntries.length; offset += 887) {
          const { entries: page, total } = await stores.audit.readPage({ source }, offset, 3);
          deepStrictEqual(
            [idsOf(page), total],
            [idsOf(matchingEntries.slice(offset, offset + 3)), matchingEntries.length],
          );
        }
        const [from, to] = [start + 5_000, start + 5_001];
        const inRangeCount = matchingEntries.filter(({ instant }) => instant >= from && instant < to).length;
        strictEqual((await stores.audit.readPage({ source, from, to }, 0, 1)).total, inRangeCount);
      }
    };
    await assertPages(newestFirst);
    while ((await stores.audit.prune(start + 1, 1_000)) > 0);
    await assertPages(newestFirst.filter(({ receivedAt }) => receivedAt > start));
  },

  'actors are named by the email of their profile or the name of their service account, and removed actors are left out':
    async ({ audit, profiles, serviceAccounts }) => {
      const [ada, removedProfile, otherProfile] = [aProfile(), aProfile(), aProfile()];
      for (const profile of [ada, removedProfile, otherProfile]) await profiles.add(profile, noEffects);
      await profiles.remove(removedProfile.id, () => noEffects);
      const account = anAccount();
      await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
      const accountId = account.id as string as ProfileId;
      deepStrictEqual(
        await audit.findActorNames([accountId, removedProfile.id, nextId(), ada.id]),
        new Map([
          [ada.id, ada.email],
          [accountId, account.name],
        ]),
      );
      deepStrictEqual(await audit.findActorNames([]), new Map());
      const unknownIds = Array.from({ length: 999 }, () => nextId<ProfileId>());
      deepStrictEqual(await audit.findActorNames([...unknownIds, ada.id]), new Map([[ada.id, ada.email]]));
    },

  'entries that are appended concurrently are all stored and counted': async ({ audit }) => {
    const entries = Array.from({ length: 20 }, () => anEntry());
    await Promise.all(entries.map((entry) => audit.append(entry, null)));
    const page = await audit.readPage(allSources, 0, 99);
    deepStrictEqual([idsOf(page.entries).sort(), page.total], [idsOf(entries).sort(), 20]);
  },
} satisfies Contract<Stores>;

const allSources: AuditFilter = { source: 'all' };

/** Appends one entry for each element of `entryFields`, in order. */
const appendEntries = async (
  audit: Stores['audit'],
  entryFields: readonly Partial<AuditEntry>[],
): Promise<AuditEntry[]> => {
  const entries = entryFields.map((fields) => anEntry(fields));
  for (const entry of entries) await audit.append(entry, null);
  return entries;
};

const assertMatches = async (
  audit: Stores['audit'],
  filter: AuditFilter,
  expected: readonly (AuditEntry | undefined)[],
) => deepStrictEqual(await audit.readPage(filter, 0, 99), { entries: expected, total: expected.length });

const exportAll = async (audit: Stores['audit'], filter: AuditFilter): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = [];
  for await (const entry of audit.export(filter)) entries.push(entry);
  return entries;
};

const idsOf = (entries: readonly AuditEntry[]) => entries.map(({ id }) => id);
