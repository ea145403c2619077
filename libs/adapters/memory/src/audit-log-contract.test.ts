import { auditLogContract } from '@portico/contracts';
import { dayMs, type AuditEntry, type AuditFilter } from '@portico/domain';
import { breachesOf, breaking, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { actorNames, append, export: exporting, page, prune } = breachesOf('audit');

/** Pages and totals under another filter. */
const filtering = (other: (filter: AuditFilter) => AuditFilter) =>
  page.asking(([filter, offset, limit]) => [other(filter), offset, limit]);

const sorting = (compare: (a: AuditEntry, b: AuditEntry) => number) =>
  page.instead(async ([filter, offset, limit], right, { entries }) => ({
    entries: [...entries].sort(compare).slice(offset, offset + limit),
    total: (await right.page(filter, 0, 0)).total,
  }));

proveStores('the memory audit log', auditLogContract, {
  'an appended entry is read as it was given': append.asking(([entry, deadline]) => [
    { ...entry, message: JSON.stringify(JSON.parse(entry.message)) },
    deadline,
  ]),
  'entries are ordered by instant, newest first, not by arrival': sorting((a, b) => b.receivedAt - a.receivedAt),
  'the order and the filters tell instants apart to the microsecond': append.asking(([entry, deadline]) => [
    { ...entry, instant: Math.floor(entry.instant) },
    deadline,
  ]),
  'entries with the same instant are ordered by insertion, newest first': sorting((a, b) => (a.id < b.id ? 1 : -1)),
  'a page starts at its offset and holds at most its limit': page.asking(([filter, offset, limit]) => [
    filter,
    Math.floor(offset / limit) * limit,
    limit,
  ]),
  'a page past the end is empty and has the right total': page.returning(({ entries, total }) => ({
    entries,
    total: entries.length === 0 ? 0 : total,
  })),
  'an empty log has an empty page and a total of 0': page.returning((page) => ({
    ...page,
    total: Math.max(1, page.total),
  })),
  'the total counts every entry that passes the filter, whatever the page': page.returning(({ entries }) => ({
    entries,
    total: entries.length,
  })),
  'the total counts entries that other stores write as effects': breaking('audit', (right) => {
    const appended: AuditEntry[] = [];
    return {
      append: (entry, deadline) => {
        appended.push(entry);
        return right.append(entry, deadline);
      },
      page: async (...page) => ({ ...(await right.page(...page)), total: appended.length }),
    };
  }),
  'a filter by source passes entries of that source, or of both for "all"': filtering((filter) => ({
    ...filter,
    source: filter.source === 'all' ? 'client' : filter.source,
  })),
  'a filter by actor passes entries of that actor': filtering(({ actorId, ...filter }) =>
    actorId === undefined ? { ...filter, source: 'all' } : filter,
  ),
  'a filter by client, collection or action passes entries with exactly that facet': append.asking(
    ([{ facets, ...entry }, deadline]) => [
      { ...entry, facets: { ...facets, action: facets.action?.trim() ?? null } },
      deadline,
    ],
  ),
  'a filter includes its from and excludes its to': filtering((filter) =>
    filter.to === undefined ? filter : { ...filter, to: filter.to + 1 },
  ),
  // Counts whole days alone.
  'the total of a range over several days is the number of its entries, whatever the times of its ends': page.instead(
    async ([filter, offset, limit], right) => {
      const page = await right.page(filter, offset, limit);
      const { from, to, ...rest } = filter;
      if (from === undefined || to === undefined) return page;
      const whole = { ...rest, from: Math.ceil(from / dayMs) * dayMs, to: Math.floor(to / dayMs) * dayMs };
      return { ...page, total: (await right.page(whole, 0, 0)).total };
    },
  ),
  'all conditions of a filter must hold': filtering(({ collectionId, ...filter }) =>
    filter.action === undefined || collectionId === undefined ? { ...filter, source: 'all' } : filter,
  ),
  'an export yields every entry once, in the order of pages': breaking('audit', (_right, _stores, { entries }) => ({
    async *export() {
      yield* [...entries].reverse();
    },
  })),
  'an export yields only entries that pass the filter': exporting.asking(([filter]) => [{ ...filter, source: 'all' }]),
  'an export yields each entry present at the call once, even if others are appended meanwhile': breaking(
    'audit',
    (right) => ({
      async *export(filter) {
        for (let offset = 0; ; offset += 500) {
          const { entries } = await right.page(filter, offset, 500);
          if (entries.length === 0) return;
          yield* entries;
        }
      },
    }),
  ),
  'an export may be stopped early': breaking('audit', (right) => {
    let isUnderWay = false;
    return {
      async *export(filter) {
        if (isUnderWay) return;
        isUnderWay = true;
        for await (const entry of right.export(filter)) yield entry;
        isUnderWay = false;
      },
    };
  }),
  'a pruning removes entries received before the instant, and none received at it': prune.asking(([before, limit]) => [
    before + 1,
    limit,
  ]),
  'a pruning removes at most its limit, oldest first, and returns how many it removed': prune.instead(
    async ([, limit], _right, database) => database.entries.splice(0, limit).length,
  ),
  'totals are right after a pruning': breaking('audit', (right) => {
    let pruned = 0;
    return {
      prune: async (before, limit) => (pruned = await right.prune(before, limit)),
      page: async (filter, offset, limit) => {
        const page = await right.page(filter, offset, limit);
        return { ...page, total: page.total + (filter.source === 'all' ? pruned : 0) };
      },
    };
  }),
  'pages and totals are right in a long log of bursts, whose instants come in any order': page.asking(
    ([filter, offset, limit]) => [filter, offset > 4_096 ? offset + 1 : offset, limit],
  ),
  'pages of a long log are consistent, even after a pruning in its middle': breaking(
    'audit',
    (right, _stores, database) => {
      let whole: AuditEntry[] = [];
      return {
        prune: async (before, limit) => {
          whole = database.entries;
          return right.prune(before, limit);
        },
        page: async (filter, offset, limit) => {
          const { entries } = await right.page(filter, 0, 9_999);
          const skipped = offset > 500 ? whole.length - database.entries.length : 0;
          return { entries: entries.slice(offset - skipped, offset - skipped + limit), total: entries.length };
        },
      };
    },
  ),
  'actors are called by the e-mail of a profile and the name of a service account; who is gone is left out':
    actorNames.instead(
      async ([ids], _right, { profiles }) =>
        new Map(ids.flatMap((id) => (profiles.has(id) ? [[id, profiles.get(id)!.email]] : []))),
    ),
  'concurrent appends are all kept and counted': append.instead(async ([entry], _right, database) => {
    const before = database.entries;
    await pause();
    database.entries = [...before, entry];
  }),
});
