import type { Environment } from '@portico/composition';
import { boardOf, type Board, type Figures } from './board.ts';
import { createBm25, countTerms } from './bm25.ts';
import { bucketsOf, findNoiseThreshold, type Bucket } from './calibration.ts';
import type { LabelledCollections, LabelledQuery } from './labelled-collections.ts';
import type { Progress } from './progress.ts';
import { computeNdcg, computeRecall, computeReciprocalRank, type GradedRanking } from './scoring.ts';
import { searchByService, type SearchResult } from './service-search.ts';
import { termsOf } from './terms.ts';

export interface CollectionsEvaluation {
  readonly model: string;
  readonly apis: number;
  readonly board: Board;
  /** The share of the service's results that were right, by `similarity_score`. */
  readonly calibration: {
    readonly first: readonly Bucket[];
    readonly topTen: readonly Bucket[];
    readonly noiseThreshold: number;
  };
}

type Results = readonly (readonly SearchResult[])[];

/** Ranks the corpus for every query: with the service, and with BM25 in this process. */
export const evaluateCollections = async (
  environment: Environment,
  labelledCollections: LabelledCollections,
  progress: Progress,
): Promise<CollectionsEvaluation> => {
  const { apis, queries } = labelledCollections;
  const { model, results } = await searchByService(environment, labelledCollections, progress);
  const rankers = [
    { key: 'embedder', label: `embedder, ${model}`, results },
    { key: 'bm25', label: 'BM25, stemmed', results: rankByBm25(labelledCollections) },
  ];
  const board = boardOf(
    { key: 'collections', title: 'Collections', metrics: ['nDCG@10', 'recall@10', 'MRR'] },
    queries.map(({ kind }) => kind),
    rankers.map(({ key, label, results: lists }) => ({
      key,
      label,
      byQuery: queries.map((query, index) => figuresOf(gradedRankingOf(query, lists[index] ?? []))),
    })),
  );
  const scoredGrades = queries.map(({ relevant }, index) =>
    (results[index] ?? []).slice(0, 10).map(({ id, score }) => ({ score, grade: relevant.get(id) ?? 0 })),
  );
  const topTen = scoredGrades.flat();
  return {
    model,
    apis: apis.length,
    board,
    calibration: {
      first: bucketsOf(scoredGrades.flatMap((results) => results.slice(0, 1))),
      topTen: bucketsOf(topTen),
      noiseThreshold: findNoiseThreshold(topTen),
    },
  };
};

const gradedRankingOf = ({ relevant }: LabelledQuery, results: readonly SearchResult[]): GradedRanking => ({
  grades: results.map(({ id }) => relevant.get(id) ?? 0),
  reachable: [...relevant.values()],
});

const figuresOf = (ranking: GradedRanking): Figures => ({
  'nDCG@10': computeNdcg(ranking),
  'recall@10': computeRecall(ranking),
  MRR: computeReciprocalRank(ranking, 1),
});

const rankByBm25 = ({ apis, queries }: LabelledCollections): Results => {
  const rank = createBm25(
    apis.map(({ name, description }) => countTerms([{ terms: termsOf(`${name}\n${description}`), weight: 1 }])),
  );
  return queries.map(({ text }) =>
    rank(termsOf(text)).map(({ index, score }) => ({ id: apis[index]?.id ?? '', score })),
  );
};
