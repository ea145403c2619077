import { dayOf } from '../../parts/last-day.ts';

const sources = ['all', 'system', 'client'] as const;
export type Source = (typeof sources)[number];

/** Reads the filters from the URL: email, name, and UTC days. */
export const filtersOf = (search: URLSearchParams) => ({
  source: sources.find((source) => source === search.get('source')) ?? 'all',
  person: search.get('actor') ?? '',
  api: search.get('api') ?? '',
  action: search.get('action') ?? '',
  from: search.get('from') ?? '',
  to: search.get('to') ?? '',
});
export type AuditFilters = ReturnType<typeof filtersOf>;

const dayMs = 86_400_000;

/** Returns the query for the service; `collectionId` is the id of the API with the given name. */
export const queryOf = (filters: AuditFilters, collectionId: string | null) => ({
  source: filters.source,
  actor: filters.person,
  action: filters.action,
  from: filters.from,
  // The service excludes this day; people expect it to be included.
  to: filters.to === '' ? '' : dayOf(new Date(Date.parse(filters.to) + dayMs)),
  ...(collectionId === null ? {} : { collection_id: collectionId }),
});
export type AuditQuery = ReturnType<typeof queryOf>;
