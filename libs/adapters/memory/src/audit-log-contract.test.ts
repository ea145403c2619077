import { auditLogContract } from '@portico/contracts';
import { dayMs, type AuditEntry, type AuditFilter } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { actorNames, append, export: exportEntries, page, prune } = breachesOf('audit');

/** Reads pages and totals using a changed filter. */
const mapFilter = (other: (filter: AuditFilter) => AuditFilter) =>
  page.mapArguments(([filter, offset, limit]) => [other(filter), offset, limit]);

const sortEntries = (compare: (a: AuditEntry, b: AuditEntry) => number) =>
  page.replaceWith(async ([filter, offset, limit], original, { entries }) => ({
    entries: [...entries].sort(compare).slice(offset, offset + limit),
    total: (await original.page(filter, 0, 0)).total,
  }));

proveStores('the memory audit log', auditLogContract, {
  'an appended entry is returned unchanged': append.mapArguments(([entry, deadline]) => [
    { ...entry, message: JSON.stringify(JSON.parse(entry.message)) },
    deadline,
  ]),
  'entries are ordered by instant, newest first, not by arrival': sortEntries((a, b) => b.receivedAt - a.receivedAt),
  'the order and the filters distinguish instants to the microsecond': append.mapArguments(([entry, deadline]) => [
    { ...entry, instant: Math.floor(entry.instant) },
    deadline,
  ]),
  'entries with the same instant are ordered by insertion, newest first': sortEntries((a, b) => (a.id < b.id ? 1 : -1)),
  'a page starts at its offset and does not exceed its limit': page.mapArguments(([filter, offset, limit]) => [
    filter,
    Math.floor(offset / limit) * limit,
    limit,
  ]),
  'a page past the end is empty and has the right total': page.mapResult(({ entries, total }) => ({
    entries,
    total: entries.length === 0 ? 0 : total,
  })),
  'an empty log has an empty page and a total of 0': page.mapResult((page) => ({
    ...page,
    total: Math.max(1, page.total),
  })),
  'the total counts every entry that passes the filter, regardless of the page': page.mapResult(({ entries }) => ({
    entries,
    total: entries.length,
  })),
  'the total counts entries that other stores write as effects': breakPort('audit', (original) => {
    const appended: AuditEntry[] = [];
    return {
      append: (entry, deadline) => {
        appended.push(entry);
        return original.append(entry, deadline);
      },
      page: async (...page) => ({ ...(await original.page(...page)), total: appended.length }),
    };
  }),
  'a filter by source passes entries of that source, or of both for "all"': mapFilter((filter) => ({
    ...filter,
    source: filter.source === 'all' ? 'client' : filter.source,
  })),
  'a filter by actor passes entries of that actor': mapFilter(({ actorId, ...filter }) =>
    actorId === undefined ? { ...filter, source: 'all' } : filter,
  ),
  'a filter by client, collection or action passes entries with exactly that facet': append.mapArguments(
    ([{ facets, ...entry }, deadline]) => [
      { ...entry, facets: { ...facets, action: facets.action?.trim() ?? null } },
      deadline,
    ],
  ),
  'a filter includes `from` and excludes `to`': mapFilter((filter) =>
    filter.to === undefined ? filter : { ...filter, to: filter.to + 1 },
  ),
  // Counts only whole days.
  'the total of a range over several days is the number of its entries, at any times of day': page.replaceWith(
    async ([filter, offset, limit], original) => {
      const page = await original.page(filter, offset, limit);
      const { from, to, ...rest } = filter;
      if (from === undefined || to === undefined) return page;
      const whole = { ...rest, from: Math.ceil(from / dayMs) * dayMs, to: Math.floor(to / dayMs) * dayMs };
      return { ...page, total: (await original.page(whole, 0, 0)).total };
    },
  ),
  'all conditions of a filter must hold': mapFilter(({ collectionId, ...filter }) =>
    filter.action === undefined || collectionId === undefined ? { ...filter, source: 'all' } : filter,
  ),
  'an export yields every entry once, in the order of pages': breakPort('audit', (_original, _stores, { entries }) => ({
    async *export() {
      yield* [...entries].reverse();
    },
  })),
  'an export yields only entries that pass the filter': exportEntries.mapArguments(([filter]) => [
    { ...filter, source: 'all' },
  ]),
  'an export yields each entry present at the call once, even if others are appended during the export': breakPort(
    'audit',
    (original) => ({
      async *export(filter) {
        for (let offset = 0; ; offset += 500) {
          const { entries } = await original.page(filter, offset, 500);
          if (entries.length === 0) return;
          yield* entries;
        }
      },
    }),
  ),
  'an export may be stopped early': breakPort('audit', (original) => {
    let isRunning = false;
    return {
      async *export(filter) {
        if (isRunning) return;
        isRunning = true;
        for await (const entry of original.export(filter)) yield entry;
        isRunning = false;
      },
    };
  }),
  'pruning removes entries received before the instant, but none received at it': prune.mapArguments(
    ([before, limit]) => [before + 1, limit],
  ),
  'pruning removes at most its limit, oldest first, and returns the number of removed entries': prune.replaceWith(
    async ([, limit], _original, database) => database.entries.splice(0, limit).length,
  ),
  'totals are correct after pruning': breakPort('audit', (original) => {
    let pruned = 0;
    return {
      prune: async (before, limit) => (pruned = await original.prune(before, limit)),
      page: async (filter, offset, limit) => {
        const page = await original.page(filter, offset, limit);
        return { ...page, total: page.total + (filter.source === 'all' ? pruned : 0) };
      },
    };
  }),
  'pages and totals are correct in a long log of bursts with instants in any order': page.mapArguments(
    ([filter, offset, limit]) => [filter, offset > 4_096 ? offset + 1 : offset, limit],
  ),
  'pages of a long log are consistent, even after pruning in the middle': breakPort(
    'audit',
    (original, _stores, database) => {
      let whole: AuditEntry[] = [];
      return {
        prune: async (before, limit) => {
          whole = database.entries;
          return original.prune(before, limit);
        },
        page: async (filter, offset, limit) => {
          const { entries } = await original.page(filter, 0, 9_999);
          const skipped = offset > 500 ? whole.length - database.entries.length : 0;
          return { entries: entries.slice(offset - skipped, offset - skipped + limit), total: entries.length };
        },
      };
    },
  ),
  'actors are named by the e-mail of a profile or the name of a service account; removed ones are left out':
    actorNames.replaceWith(
      async ([ids], _original, { profiles }) =>
        new Map(ids.flatMap((id) => (profiles.has(id) ? [[id, profiles.get(id)!.email]] : []))),
    ),
  'concurrent appends are all stored and counted': append.replaceWith(async ([entry], _original, database) => {
    const before = database.entries;
    await pause();
    database.entries = [...before, entry];
  }),
});
