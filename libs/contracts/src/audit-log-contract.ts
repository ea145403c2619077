import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { dayMs, type AuditEntry, type AuditFilter, type ProfileId } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aProfile, aTier, anAccount, anAccountKey, anEntry, endOfTime, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `AuditLog`. */
export const auditLogContract = {
  'an appended entry is returned unchanged': async ({ audit }) => {
    const plain = anEntry();
    const full = anEntry({
      source: 'system',
      actorId: nextId(),
      message: '{"a":1.0, "a":2,"__proto__":{"x":1},"text":"größer 愛 \\u0000"}',
      timestamp: '1899-12-31T23:30:00.0005-00:30',
      instant: Date.UTC(1900, 0, 1),
      receivedAt: start + 7,
      facets: { clientId: 'C 1', collectionId: 'no uuid', action: 'größe' },
    });
    for (const entry of [plain, full]) await audit.append(entry, null);
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [plain, full]);
  },

  'entries are ordered by instant, newest first, not by arrival': async ({ audit }) => {
    const [old, young, middle] = await appendEntries(audit, [
      { instant: start, receivedAt: start + 9 },
      { instant: start + 2, receivedAt: start + 3, timestamp: '1999-01-01' },
      { instant: start + 1, receivedAt: start + 1, timestamp: '2999-01-01' },
    ]);
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [young, middle, old]);
  },

  'the order and the filters distinguish instants to the microsecond': async ({ audit }) => {
    const [second, third, first] = await appendEntries(audit, [
      { instant: start + 0.002, receivedAt: start },
      { instant: start + 0.003, receivedAt: start },
      { instant: start + 0.001, receivedAt: start },
    ]);
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [third, second, first]);
    deepStrictEqual((await audit.page({ ...all, from: start + 0.002, to: start + 0.003 }, 0, 9)).entries, [second]);
    deepStrictEqual(await exportAll(audit, all), [third, second, first]);
  },

  'entries with the same instant are ordered by insertion, newest first': async (stores) => {
    const { audit } = stores;
    const third = anEntry();
    const [first, second] = await appendEntries(audit, [{}, {}]);
    const [fourth, fifth] = [anEntry(), anEntry()];
    await audit.append(third, null);
    await stores.embeddingJobs.enqueue({ entries: [fifth, fourth], jobs: [], deadline: null });
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [fourth, fifth, third, second, first]);
  },

  'a page starts at its offset and does not exceed its limit': async ({ audit }) => {
    const entries = (await appendEntries(audit, [{}, {}, {}, {}, {}])).reverse();
    deepStrictEqual((await audit.page(all, 0, 2)).entries, entries.slice(0, 2));
    deepStrictEqual((await audit.page(all, 1, 3)).entries, entries.slice(1, 4));
    deepStrictEqual((await audit.page(all, 4, 3)).entries, entries.slice(4));
  },

  'a page past the end is empty and has the right total': async ({ audit }) => {
    await appendEntries(audit, [{}, {}, {}]);
    deepStrictEqual(await audit.page(all, 3, 2), { entries: [], total: 3 });
    deepStrictEqual(await audit.page(all, 1_000_000, 2), { entries: [], total: 3 });
  },

  'an empty log has an empty page and a total of 0': async ({ audit }) => {
    deepStrictEqual(await audit.page(all, 0, 20), { entries: [], total: 0 });
  },

  'the total counts every entry that passes the filter, regardless of the page': async ({ audit }) => {
    await appendEntries(audit, [{ source: 'system' }, {}, {}, { source: 'system' }, {}]);
    const filters = [all, { source: 'client' }, { source: 'system' }] as const;
    const pages = await Promise.all(filters.map((filter) => audit.page(filter, 0, 1)));
    deepStrictEqual(
      pages.map(({ total }) => total),
      [5, 3, 2],
    );
  },

  'the total counts entries that other stores write as effects': async (stores) => {
    const entries = [anEntry(), anEntry({ source: 'system' })];
    await appendEntries(stores.audit, [{}]);
    await stores.limits.addTier(aTier(), { entries, jobs: [], deadline: null });
    strictEqual((await stores.audit.page(all, 0, 1)).total, 3);
    strictEqual((await stores.audit.page({ source: 'system' }, 0, 1)).total, 1);
  },

  'a filter by source passes entries of that source, or of both for "all"': async ({ audit }) => {
    const [client, system] = await appendEntries(audit, [{ source: 'client' }, { source: 'system' }]);
    await assertPasses(audit, { source: 'client' }, [client]);
    await assertPasses(audit, { source: 'system' }, [system]);
    await assertPasses(audit, all, [system, client]);
  },

  'a filter by actor passes entries of that actor': async ({ audit }) => {
    const actorId = nextId<NonNullable<AuditEntry['actorId']>>();
    const [entry] = await appendEntries(audit, [{ actorId }, { actorId: nextId() }, { actorId: null }]);
    await assertPasses(audit, { ...all, actorId }, [entry]);
  },

  'a filter by client, collection or action passes entries with exactly that facet': async ({ audit }) => {
    for (const facet of ['clientId', 'collectionId', 'action'] as const) {
      const facets = { clientId: null, collectionId: null, action: null };
      const value = `Größe ${facet}`;
      const [entry] = await appendEntries(audit, [
        { facets: { ...facets, [facet]: value } },
        { facets: { ...facets, [facet]: value.toLowerCase() } },
        { facets: { ...facets, [facet]: `${value} ` } },
        { facets },
      ]);
      await assertPasses(audit, { ...all, [facet]: value }, [entry]);
    }
  },

  'a filter includes `from` and excludes `to`': async ({ audit }) => {
    const [first, second, third] = await appendEntries(audit, [
      { instant: start, receivedAt: start + 9 },
      { instant: start + 1, receivedAt: start + 9 },
      { instant: start + 2, receivedAt: start + 9 },
    ]);
    await assertPasses(audit, { ...all, from: start + 1 }, [third, second]);
    await assertPasses(audit, { ...all, to: start + 1 }, [first]);
    await assertPasses(audit, { ...all, from: start + 1, to: start + 2 }, [second]);
    await assertPasses(audit, { ...all, from: start + 1, to: start + 1 }, []);
  },

  'the total of a range over several days is the number of its entries, at any times of day': async ({ audit }) => {
    const noon = start - (start % dayMs) + dayMs / 2;
    const instants = [-2, -1, -0.5, 0, 0.25, 0.5, 1, 1, 2.5, 3].map((days) => noon + days * dayMs);
    for (const [at, instant] of instants.entries())
      await appendEntries(audit, [{ instant, receivedAt: instant, source: at % 2 ? 'system' : 'client' }]);
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
          const { entries, total } = await audit.page(filter, 0, 99);
          strictEqual(total, entries.length);
        }
  },

  'all conditions of a filter must hold': async ({ audit }) => {
    const matching = {
      source: 'system',
      actorId: nextId<NonNullable<AuditEntry['actorId']>>(),
      instant: start,
      facets: { clientId: 'c', collectionId: 'l', action: 'a' },
    } as const;
    const [entry] = await appendEntries(audit, [
      matching,
      { ...matching, source: 'client' },
      { ...matching, actorId: null },
      { ...matching, instant: start + 1 },
      { ...matching, instant: start - 1 },
      { ...matching, facets: { ...matching.facets, clientId: 'x' } },
      { ...matching, facets: { ...matching.facets, collectionId: 'x' } },
      { ...matching, facets: { ...matching.facets, action: 'x' } },
    ]);
    const { source, actorId, facets } = matching;
    await assertPasses(audit, { source, actorId, ...facets, from: start, to: start + 1 }, [entry]);
  },

  'an export yields every entry once, in the order of pages': async (stores) => {
    const entries = Array.from({ length: 1_500 }, (_, index) => anEntry({ instant: start + (index % 3) }));
    await stores.embeddingJobs.enqueue({ entries, jobs: [], deadline: null });
    const exported = await exportAll(stores.audit, all);
    deepStrictEqual(ids(exported), ids((await stores.audit.page(all, 0, 2_000)).entries));
    strictEqual(exported.length, 1_500);
  },

  'an export yields only entries that pass the filter': async ({ audit }) => {
    const [client] = await appendEntries(audit, [{ source: 'client' }, { source: 'system' }]);
    deepStrictEqual(await exportAll(audit, { source: 'client' }), [client]);
  },

  'an export yields each entry present at the call once, even if others are appended during the export': async (
    stores,
  ) => {
    const entries = Array.from({ length: 1_200 }, (_, index) => anEntry({ instant: start + index }));
    await stores.embeddingJobs.enqueue({ entries, jobs: [], deadline: null });
    const exported: AuditEntry[] = [];
    for await (const entry of stores.audit.export(all)) {
      if (exported.length % 300 === 0)
        await appendEntries(stores.audit, [{ instant: endOfTime }, { instant: start + 1 }]);
      exported.push(entry);
    }
    const presentIds = new Set(ids(entries));
    deepStrictEqual(
      ids(exported).filter((id) => presentIds.has(id)),
      ids(entries).reverse(),
    );
    strictEqual(new Set(ids(exported)).size, exported.length);
  },

  'an export may be stopped early': async ({ audit }) => {
    const [, second] = await appendEntries(audit, [{}, {}]);
    for await (const entry of audit.export(all)) {
      deepStrictEqual(entry, second);
      break;
    }
    strictEqual((await audit.page(all, 0, 9)).total, 2);
    await appendEntries(audit, [{}]);
    strictEqual((await exportAll(audit, all)).length, 3);
  },

  'pruning removes entries received before the instant, but none received at it': async ({ audit }) => {
    const [, at, after] = await appendEntries(audit, [
      { receivedAt: start, instant: start + 99 },
      { receivedAt: start + 1, instant: start + 1 },
      { receivedAt: start + 2, instant: start - 99 },
    ]);
    strictEqual(await audit.prune(start + 1, 9), 1);
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [at, after]);
  },

  'pruning removes at most its limit, oldest first, and returns the number of removed entries': async ({ audit }) => {
    const [third, first, second] = await appendEntries(audit, [
      { receivedAt: start + 2 },
      { receivedAt: start },
      { receivedAt: start + 1 },
    ]);
    ok(first && second);
    strictEqual(await audit.prune(endOfTime, 2), 2);
    deepStrictEqual((await audit.page(all, 0, 9)).entries, [third]);
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
    const filters: AuditFilter[] = [all, { source: 'client' }, { source: 'system' }, { ...all, clientId: 'c' }];
    const pages = await Promise.all(filters.map((filter) => audit.page(filter, 0, 9)));
    deepStrictEqual(
      pages.map(({ total }) => total),
      [2, 1, 1, 1],
    );
    await appendEntries(audit, [{}]);
    strictEqual((await audit.page(all, 0, 9)).total, 3);
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
    for (const filter of [all, { source: 'client' }] as const) {
      const whole = await stores.audit.page(filter, 0, 1_200);
      for (const offset of [1, 299, 300, 301, 512, 640, whole.total - 1]) {
        const page = await stores.audit.page(filter, offset, 20);
        deepStrictEqual(ids(page.entries), ids(whole.entries.slice(offset, offset + 20)));
        deepStrictEqual([page.total, whole.total], [whole.entries.length, whole.entries.length]);
      }
    }
  },

  'pages and totals are correct in a long log of bursts with instants in any order': async (stores) => {
    const instantOf = (index: number) => (index % 3 ? start + 5_000 : start + ((index * 7_919) % 10_007));
    const entries = Array.from({ length: 9_000 }, (_, index) =>
      anEntry({ source: index % 5 ? 'client' : 'system', instant: instantOf(index), receivedAt: start + (index % 2) }),
    );
    for (let at = 0; at < entries.length; at += 1_500)
      await stores.embeddingJobs.enqueue({ entries: entries.slice(at, at + 1_500), jobs: [], deadline: null });
    const newestFirst = entries.toReversed().sort((a, b) => b.instant - a.instant);
    const assertPages = async (log: readonly AuditEntry[]): Promise<void> => {
      for (const source of ['all', 'client', 'system'] as const) {
        const passing = log.filter((entry) => source === 'all' || entry.source === source);
        for (let offset = 0; offset < passing.length; offset += 887) {
          const { entries: page, total } = await stores.audit.page({ source }, offset, 3);
          deepStrictEqual([ids(page), total], [ids(passing.slice(offset, offset + 3)), passing.length]);
        }
        const [from, to] = [start + 5_000, start + 5_001];
        const within = passing.filter(({ instant }) => instant >= from && instant < to).length;
        strictEqual((await stores.audit.page({ source, from, to }, 0, 1)).total, within);
      }
    };
    await assertPages(newestFirst);
    while ((await stores.audit.prune(start + 1, 1_000)) > 0);
    await assertPages(newestFirst.filter(({ receivedAt }) => receivedAt > start));
  },

  'actors are named by the e-mail of a profile or the name of a service account; removed ones are left out': async ({
    audit,
    profiles,
    serviceAccounts,
  }) => {
    const [ada, removed, other] = [aProfile(), aProfile(), aProfile()];
    for (const profile of [ada, removed, other]) await profiles.add(profile, noEffects);
    await profiles.remove(removed.id, () => noEffects);
    const account = anAccount();
    await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    const accountId = account.id as string as ProfileId;
    deepStrictEqual(
      await audit.actorNames([accountId, removed.id, nextId(), ada.id]),
      new Map([
        [ada.id, ada.email],
        [accountId, account.name],
      ]),
    );
    deepStrictEqual(await audit.actorNames([]), new Map());
    const many = Array.from({ length: 999 }, () => nextId<ProfileId>());
    deepStrictEqual(await audit.actorNames([...many, ada.id]), new Map([[ada.id, ada.email]]));
  },

  'concurrent appends are all stored and counted': async ({ audit }) => {
    const entries = Array.from({ length: 20 }, () => anEntry());
    await Promise.all(entries.map((entry) => audit.append(entry, null)));
    const page = await audit.page(all, 0, 99);
    deepStrictEqual([ids(page.entries).sort(), page.total], [ids(entries).sort(), 20]);
  },
} satisfies Contract<Stores>;

const all: AuditFilter = { source: 'all' };

/** Appends one entry for each element of `facts`, in order. */
const appendEntries = async (audit: Stores['audit'], facts: readonly Partial<AuditEntry>[]): Promise<AuditEntry[]> => {
  const entries = facts.map((some) => anEntry(some));
  for (const entry of entries) await audit.append(entry, null);
  return entries;
};

const assertPasses = async (
  audit: Stores['audit'],
  filter: AuditFilter,
  expected: readonly (AuditEntry | undefined)[],
) => deepStrictEqual(await audit.page(filter, 0, 99), { entries: expected, total: expected.length });

const exportAll = async (audit: Stores['audit'], filter: AuditFilter): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = [];
  for await (const entry of audit.export(filter)) entries.push(entry);
  return entries;
};

const ids = (entries: readonly AuditEntry[]) => entries.map(({ id }) => id);
