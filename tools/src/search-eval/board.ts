import { estimateDifference, estimate, type Difference, type Estimate } from './bootstrap.ts';

/** The figures of one ranker for one query, by metric. */
export type Figures = Readonly<Record<string, number>>;

export interface RankerFigures {
  /** A stable key for records, such as `embedder`. */
  readonly key: string;
  /** A label for people, such as `the embedder (portico-lexical-1)`. */
  readonly label: string;
  /** The figures for each query, in the order of the queries. */
  readonly byQuery: readonly Figures[];
}

export interface BoardRow {
  readonly key: string;
  readonly label: string;
  /** The figures by kind of query, then by metric. */
  readonly figures: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** The ranker's lead over the baseline for all queries, by metric; null for the baseline itself. */
  readonly lead: Readonly<Record<string, Difference>> | null;
}

/** Rankers compared on the same queries. */
export interface Board {
  readonly key: string;
  readonly title: string;
  readonly metrics: readonly string[];
  /** The kinds of queries, starting with `all`. */
  readonly kinds: readonly { readonly name: string; readonly count: number }[];
  readonly rows: readonly BoardRow[];
}

export const baselineKey = 'bm25';

/** Summarizes rankers by kind of query and compares each with the baseline. */
export const boardOf = (
  { key, title, metrics }: Pick<Board, 'key' | 'title' | 'metrics'>,
  queryKinds: readonly string[],
  rankers: readonly RankerFigures[],
): Board => {
  const counts = Map.groupBy(queryKinds, (kind) => kind);
  const kinds = [
    { name: 'all', count: queryKinds.length },
    ...[...counts].map(([name, { length }]) => ({ name, count: length })).sort((x, y) => y.count - x.count),
  ];
  const baseline = rankers.find((ranker) => ranker.key === baselineKey);
  const valuesOf = ({ byQuery }: RankerFigures, metric: string, kind: string): readonly number[] =>
    byQuery.filter((_, index) => kind === 'all' || queryKinds[index] === kind).map((figures) => figures[metric] ?? 0);
  const mapMetrics = <Value>(compute: (metric: string) => Value): Readonly<Record<string, Value>> =>
    Object.fromEntries(metrics.map((metric) => [metric, compute(metric)]));
  const rows = rankers.map((ranker) => ({
    key: ranker.key,
    label: ranker.label,
    figures: Object.fromEntries(
      kinds.map(({ name }) => [name, mapMetrics((metric) => estimate(valuesOf(ranker, metric, name)))]),
    ),
    lead:
      baseline === undefined || ranker === baseline
        ? null
        : mapMetrics((metric) =>
            estimateDifference(valuesOf(ranker, metric, 'all'), valuesOf(baseline, metric, 'all')),
          ),
  }));
  return { key, title, metrics, kinds, rows };
};
