import type { CollectionId } from '@portico/domain';

interface BaseQuery {
  readonly modelId: string;
  readonly candidateIds: readonly CollectionId[];
}

interface SearchResult<Match> {
  readonly matches: readonly Match[];
  readonly isFallback: boolean;
}

type Search<Query, Match> = (query: Query) => Promise<SearchResult<Match>>;

/** Returns the ways to break an index's search. */
export const createSearchSabotages = <
  Subject extends { readonly index: { search: Search<Query, Match> } },
  Query extends BaseQuery,
  Match,
>() => {
  /** Replaces the search. */
  const replaceSearch =
    (brokenSearch: (query: Query, search: Search<Query, Match>, subject: Subject) => Promise<SearchResult<Match>>) =>
    (subject: Subject): Subject => {
      const search = (query: Query) =>
        brokenSearch(query, (changedQuery) => subject.index.search(changedQuery), subject);
      return { ...subject, index: { ...subject.index, search } };
    };
  /** Changes the query. */
  const mapQuery = (change: (query: Query) => Query) => replaceSearch((query, search) => search(change(query)));
  /** Changes the matches. */
  const mapMatches = (change: (matches: readonly Match[], query: Query) => readonly Match[]) =>
    replaceSearch(async (query, search) => {
      const { matches, isFallback } = await search(query);
      return { matches: change(matches, query), isFallback };
    });
  /** Caches the first result for each array of collections. */
  const cacheResults = () => {
    const results = new WeakMap<readonly CollectionId[], SearchResult<Match>>();
    return replaceSearch(async (query, search) => {
      const result = results.get(query.candidateIds) ?? (await search(query));
      results.set(query.candidateIds, result);
      return result;
    });
  };
  /** Returns the first result for every search. */
  const shareFirstResult = () => {
    let firstResult: Promise<SearchResult<Match>> | undefined;
    return replaceSearch((query, search) => (firstResult ??= search(query)));
  };
  const mixTwoModels = replaceSearch(async (query, search) => {
    const results = await Promise.all(['model-1', 'model-2'].map((modelId) => search({ ...query, modelId })));
    return { matches: results.flatMap(({ matches }) => matches), isFallback: false };
  });
  const markAsFallback = replaceSearch(async (query, search) => ({ ...(await search(query)), isFallback: true }));
  const swallowErrors = replaceSearch((query, search) =>
    search(query).catch(() => ({ matches: [], isFallback: true })),
  );
  return {
    replaceSearch,
    mapQuery,
    mapMatches,
    cacheResults,
    shareFirstResult,
    mixTwoModels,
    markAsFallback,
    swallowErrors,
  };
};
