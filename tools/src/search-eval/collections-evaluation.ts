import type { Environment } from '@portico/composition';
import { boardOf, type Board, type Figures } from './board.ts';
import { createBm25, termCounts } from './bm25.ts';
import { bucketsOf, noiseBelow, type Bucket } from './calibration.ts';
import type { LabelledCollections, LabelledQuery } from './labelled-collections.ts';
import type { Progress } from './progress.ts';
import { ndcg, recall, reciprocalRank, type GradedRanking } from './scoring.ts';
import { searchByService, type SearchResult } from './service-search.ts';
import { termsOf } from './terms.ts';

export interface CollectionsEvaluation {
  readonly model: string;
  readonly apis: number;
  readonly board: Board;
  /** The share of the service's results that were right, by `similarity_score`. */
  readonly calibration: {
    readonly first: readonly Bucket[];
    readonly firstTen: readonly Bucket[];
    readonly noiseBelow: number;
  };
}

type Results = readonly (readonly SearchResult[])[];

/** Ranks the corpus for every query: with the service, and with BM25 in this process. */
export const evaluateCollections = async (
  environment: Environment,
  labelled: LabelledCollections,
  progress: Progress,
): Promise<CollectionsEvaluation> => {
  const { apis, queries } = labelled;
  const { model, results } = await searchByService(environment, labelled, progress);
  const rankers = [
    { key: 'embedder', label: `embedder, ${model}`, results },
    { key: 'bm25', label: 'BM25, stemmed', results: bm25(labelled) },
  ];
  const board = boardOf(
    { key: 'collections', title: 'Collections', metrics: ['nDCG@10', 'recall@10', 'MRR'] },
    queries.map(({ kind }) => kind),
    rankers.map(({ key, label, results: lists }) => ({
      key,
      label,
      byQuery: queries.map((query, at) => figuresOf(gradedOf(query, lists[at] ?? []))),
    })),
  );
  const graded = queries.map(({ relevant }, at) =>
    (results[at] ?? []).slice(0, 10).map(({ id, score }) => ({ score, grade: relevant.get(id) ?? 0 })),
  );
  const firstTen = graded.flat();
  return {
    model,
    apis: apis.length,
    board,
    calibration: {
      first: bucketsOf(graded.flatMap((results) => results.slice(0, 1))),
      firstTen: bucketsOf(firstTen),
      noiseBelow: noiseBelow(firstTen),
    },
  };
};

const gradedOf = ({ relevant }: LabelledQuery, results: readonly SearchResult[]): GradedRanking => ({
  grades: results.map(({ id }) => relevant.get(id) ?? 0),
  reachable: [...relevant.values()],
});

const figuresOf = (ranking: GradedRanking): Figures => ({
  'nDCG@10': ndcg(ranking),
  'recall@10': recall(ranking),
  MRR: reciprocalRank(ranking, 1),
});

const bm25 = ({ apis, queries }: LabelledCollections): Results => {
  const rank = createBm25(
    apis.map(({ name, description }) => termCounts([{ terms: termsOf(`${name}\n${description}`), weight: 1 }])),
  );
  return queries.map(({ text }) => rank(termsOf(text)).map(({ at, score }) => ({ id: apis[at]?.id ?? '', score })));
};
