import type { CollectionId } from '@portico/domain';

interface Asked {
  readonly modelId: string;
  readonly among: readonly CollectionId[];
}

interface Answer<Match> {
  readonly matches: readonly Match[];
  readonly isFallback: boolean;
}

type Search<Query, Match> = (query: Query) => Promise<Answer<Match>>;

/** The ways to break the search of an index. */
export const breachesOfSearch = <
  Subject extends { readonly index: { search: Search<Query, Match> } },
  Query extends Asked,
  Match,
>() => {
  /** Another search stands in its place. */
  const searching =
    (broken: (query: Query, search: Search<Query, Match>, subject: Subject) => Promise<Answer<Match>>) =>
    (subject: Subject): Subject => {
      const search = (query: Query) => broken(query, (asked) => subject.index.search(asked), subject);
      return { ...subject, index: { ...subject.index, search } };
    };
  /** It is asked something else. */
  const onQuery = (change: (query: Query) => Query) => searching((query, search) => search(change(query)));
  /** It finds something else. */
  const onMatches = (change: (matches: readonly Match[], query: Query) => readonly Match[]) =>
    searching(async (query, search) => {
      const { matches, isFallback } = await search(query);
      return { matches: change(matches, query), isFallback };
    });
  /** It remembers its first answer for an array of collections. */
  const remembering = () => {
    const answers = new WeakMap<readonly CollectionId[], Answer<Match>>();
    return searching(async (query, search) => {
      const answer = answers.get(query.among) ?? (await search(query));
      answers.set(query.among, answer);
      return answer;
    });
  };
  /** It gives all the first answer. */
  const inOneFlight = () => {
    let flight: Promise<Answer<Match>> | undefined;
    return searching((query, search) => (flight ??= search(query)));
  };
  const ofTwoModels = searching(async (query, search) => {
    const answers = await Promise.all(['model-1', 'model-2'].map((modelId) => search({ ...query, modelId })));
    return { matches: answers.flatMap(({ matches }) => matches), isFallback: false };
  });
  const asFallback = searching(async (query, search) => ({ ...(await search(query)), isFallback: true }));
  const findingNothing = searching((query, search) => search(query).catch(() => ({ matches: [], isFallback: true })));
  return { searching, onQuery, onMatches, remembering, inOneFlight, ofTwoModels, asFallback, findingNothing };
};
