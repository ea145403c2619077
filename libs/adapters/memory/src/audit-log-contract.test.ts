import { auditLogContract } from '@portico/contracts';
import { dayMs, type AuditEntry, type AuditFilter } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { findActorNames, append, export: exportEntries, readPage, prune } = breachesOf('audit');

/** Reads pages and totals using a changed filter. */
const mapFilter = (change: (filter: AuditFilter) => AuditFilter) =>
  readPage.mapArguments(([filter, offset, limit]) => [change(filter), offset, limit]);

const sortEntries = (compare: (a: AuditEntry, b: AuditEntry) => number) =>
  readPage.replaceWith(async ([filter, offset, limit], original, { entries }) => ({
    entries: [...entries].sort(compare).slice(offset, offset + limit),
    total: (await original.readPage(filter, 0, 0)).total,
  }));

proveStores('the memory audit log', auditLogContract, {
  'an entry is returned exactly as it was appended': append.mapArguments(([entry, deadline]) => [
    { ...entry, message: JSON.stringify(JSON.parse(entry.message)) },
    deadline,
  ]),
  'entries are ordered by instant, newest first, not by the time of arrival': sortEntries(
    (a, b) => b.receivedAt - a.receivedAt,
  ),
  'ordering and filtering distinguish instants to the microsecond': append.mapArguments(([entry, deadline]) => [
    { ...entry, instant: Math.floor(entry.instant) },
    deadline,
  ]),
  'entries with the same instant are ordered by insertion, newest first': sortEntries((a, b) => (a.id < b.id ? 1 : -1)),
  'a page starts at its offset and does not exceed its limit': readPage.mapArguments(([filter, offset, limit]) => [
    filter,
    Math.floor(offset / limit) * limit,
    limit,
  ]),
  'a page past the end is empty and has the correct total': readPage.mapResult(({ entries, total }) => ({
    entries,
    total: entries.length === 0 ? 0 : total,
  })),
  'a page of an empty log is empty, with a total of 0': readPage.mapResult((page) => ({
    ...page,
    total: Math.max(1, page.total),
  })),
  'the total counts every entry that matches the filter, regardless of the page': readPage.mapResult(({ entries }) => ({
    entries,
    total: entries.length,
  })),
  'the total counts entries that other stores write as effects': breakPort('audit', (original) => {
    const appendedEntries: AuditEntry[] = [];
    return {
      append: (entry, deadline) => {
        appendedEntries.push(entry);
        return original.append(entry, deadline);
      },
      readPage: async (...page) => ({ ...(await original.readPage(...page)), total: appendedEntries.length }),
    };
  }),
  'a filter by source matches the entries of that source, or of both sources for "all"': mapFilter((filter) => ({
    ...filter,
    source: filter.source === 'all' ? 'client' : filter.source,
  })),
  'a filter by actor matches the entries of that actor': mapFilter(({ actorId, ...filter }) =>
    actorId === undefined ? { ...filter, source: 'all' } : filter,
  ),
  'a filter by client, collection or action matches the entries with exactly that facet': append.mapArguments(
    ([{ facets, ...entry }, deadline]) => [
      { ...entry, facets: { ...facets, action: facets.action?.trim() ?? null } },
      deadline,
    ],
  ),
  'a filter includes `from` and excludes `to`': mapFilter((filter) =>
    filter.to === undefined ? filter : { ...filter, to: filter.to + 1 },
  ),
  // Counts only whole days.
  'the total of a range of several days is the number of its entries, at any time of day': readPage.replaceWith(
    async ([filter, offset, limit], original) => {
      const page = await original.readPage(filter, offset, limit);
      const { from, to, ...rest } = filter;
      if (from === undefined || to === undefined) return page;
      const wholeDays = { ...rest, from: Math.ceil(from / dayMs) * dayMs, to: Math.floor(to / dayMs) * dayMs };
      return { ...page, total: (await original.readPage(wholeDays, 0, 0)).total };
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
  'an export yields only entries that match the filter': exportEntries.mapArguments(([filter]) => [
    { ...filter, source: 'all' },
  ]),
  'an export yields each entry that existed at its start once, even if entries are appended during the export':
    breakPort('audit', (original) => ({
      async *export(filter) {
        for (let offset = 0; ; offset += 500) {
          const { entries } = await original.readPage(filter, offset, 500);
          if (entries.length === 0) return;
          yield* entries;
        }
      },
    })),
  'an export can be stopped early': breakPort('audit', (original) => {
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
  'pruning removes entries received before the instant, but not at it': prune.mapArguments(([before, limit]) => [
    before + 1,
    limit,
  ]),
  'pruning removes at most its limit, oldest first, and returns the number of removed entries': prune.replaceWith(
    async ([, limit], _original, database) => database.entries.splice(0, limit).length,
  ),
  'totals are correct after pruning': breakPort('audit', (original) => {
    let prunedCount = 0;
    return {
      prune: async (before, limit) => (prunedCount = await original.prune(before, limit)),
      readPage: async (filter, offset, limit) => {
        const page = await original.readPage(filter, offset, limit);
        return { ...page, total: page.total + (filter.source === 'all' ? prunedCount : 0) };
      },
    };
  }),
  'pages and totals are correct in a long log of bursts with instants in any order': readPage.mapArguments(
    ([filter, offset, limit]) => [filter, offset > 4_096 ? offset + 1 : offset, limit],
  ),
  'pages of a long log are consistent, even after pruning in the middle': breakPort(
    'audit',
    (original, _stores, database) => {
      let allEntries: AuditEntry[] = [];
      return {
        prune: async (before, limit) => {
          allEntries = database.entries;
          return original.prune(before, limit);
        },
        readPage: async (filter, offset, limit) => {
          const { entries } = await original.readPage(filter, 0, 9_999);
          const skippedCount = offset > 500 ? allEntries.length - database.entries.length : 0;
          return {
            entries: entries.slice(offset - skippedCount, offset - skippedCount + limit),
            total: entries.length,
          };
        },
      };
    },
  ),
  'actors are named by the email of their profile or the name of their service account, and removed actors are left out':
    findActorNames.replaceWith(
      async ([ids], _original, { profiles }) =>
        new Map(ids.flatMap((id) => (profiles.has(id) ? [[id, profiles.get(id)!.email]] : []))),
    ),
  'entries that are appended concurrently are all stored and counted': append.replaceWith(
    async ([entry], _original, database) => {
      const entriesBefore = database.entries;
      await pause();
      database.entries = [...entriesBefore, entry];
    },
  ),
});
