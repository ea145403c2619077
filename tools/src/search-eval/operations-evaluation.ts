import { operationScoreMin, type Embedder, type OperationEmbedder } from '@portico/domain';
import type { ApiDocument } from './api-document.ts';
import { boardOf, type Board, type Figures } from './board.ts';
import { createBm25, termCounts } from './bm25.ts';
import { bucketsOf, type Bucket, type ScoredGrade } from './calibration.ts';
import { familyOfUnit, unitOf, type LabelledOperations, type LabelledTask } from './labelled-operations.ts';
import { operationSearchScores } from './operation-search.ts';
import { fieldTexts, inWords, operationVectors, type OperationText } from './operation-vectors.ts';
import type { Progress } from './progress.ts';
import { auroc, ndcg, reciprocalRank, success, type GradedRanking } from './scoring.ts';
import { termsOf } from './terms.ts';
import { similarity } from './vectors.ts';

export interface OperationsEvaluation {
  readonly model: string;
  readonly operations: number;
  readonly documents: number;
  readonly text: OperationText;
  /** The boards by operation and by the operations' API. */
  readonly boards: readonly Board[];
  /**
   * How well the best score separates tasks with an answer from those without one, by ranker; null if there are no such
   * tasks.
   */
  readonly noAnswer: { readonly tasks: number; readonly auroc: Readonly<Record<string, number>> } | null;
  /** The calibration of operation search scores, for the first result and for the first ten. */
  readonly calibration: { readonly first: readonly Bucket[]; readonly firstTen: readonly Bucket[] };
  /** The number of tasks without a result, because the best result is below the minimum score. */
  readonly refused: { readonly answered: number; readonly unanswered: number };
}

interface Ranker {
  readonly key: string;
  readonly label: string;
  /** The ranked units of each task, best first, with their scores. */
  readonly lists: readonly RankedUnits[];
}

interface RankedUnits {
  readonly units: readonly string[];
  /** The scores, in the order of `units`. */
  readonly scores: readonly number[];
}

/** The number of ranked operations before variants are merged. */
const rankedMax = 200;
const metrics = ['success@5', 'success@3', 'success@1', 'nDCG@10', 'MRR'];

/** Ranks all operations for every task, in this process. */
export const evaluateOperations = async (
  { embedder, operationEmbedder }: { readonly embedder: Embedder; readonly operationEmbedder: OperationEmbedder },
  labelled: LabelledOperations,
  text: OperationText,
  progress: Progress,
): Promise<OperationsEvaluation> => {
  const model = await embedder.modelId();
  const { documents, tasks } = labelled;
  const units = documents.flatMap(({ file, operations }) =>
    operations.map(({ method, path }) => unitOf(labelled.familyOf.get(file) ?? file, method, path)),
  );
  const embedderScores = await scoresOf(embedder, labelled, text, progress);
  const searchScores = await operationSearchScores(operationEmbedder, labelled, progress);
  const searchRankings = searchScores.map((scores) => rankUnits(scores, units));
  const rankers: readonly Ranker[] = [
    {
      key: 'embedder',
      label: `embedder alone, ${model}`,
      lists: embedderScores.map((scores) => rankUnits(scores, units)),
    },
    { key: 'search', label: 'operations search', lists: searchRankings },
    { key: 'bm25', label: 'BM25, stemmed', lists: bm25(documents, tasks, units) },
  ];
  return {
    model,
    operations: units.length,
    documents: documents.filter(({ operations }) => operations.length > 0).length,
    text,
    boards: [
      board({ key: 'operations', title: 'Operations' }, tasks, rankers, (unit) => unit),
      board({ key: 'apis', title: 'The API of the operation' }, tasks, rankers, familyOfUnit),
    ],
    noAnswer: noAnswerOf(tasks, rankers),
    calibration: {
      first: bucketsOf(gradedScores(tasks, searchRankings, 1)),
      firstTen: bucketsOf(gradedScores(tasks, searchRankings, 10)),
    },
    refused: refusedOf(tasks, searchRankings),
  };
};

const board = (
  names: Pick<Board, 'key' | 'title'>,
  tasks: readonly LabelledTask[],
  rankers: readonly Ranker[],
  levelOf: (unit: string) => string,
): Board => {
  const answered = tasks.flatMap((task, at) => (task.right.size === 0 ? [] : [{ task, at }]));
  return boardOf(
    { ...names, metrics },
    answered.map(({ task }) => task.kind),
    rankers.map(({ key, label, lists }) => ({
      key,
      label,
      byQuery: answered.map(({ task, at }) => figuresOf(gradedOf(task, lists[at]?.units ?? [], levelOf))),
    })),
  );
};

/** Returns a ranking that contains each unit or API once, with its best rank and its best grade. */
const gradedOf = (
  { right }: LabelledTask,
  units: readonly string[],
  levelOf: (unit: string) => string,
): GradedRanking => {
  const grades = new Map<string, number>();
  for (const [unit, grade] of right) grades.set(levelOf(unit), Math.max(grade, grades.get(levelOf(unit)) ?? 0));
  return {
    grades: [...new Set(units.map(levelOf))].map((one) => grades.get(one) ?? 0),
    reachable: [...grades.values()],
  };
};

const figuresOf = (ranking: GradedRanking): Figures => ({
  'success@5': success(ranking, 5),
  'success@3': success(ranking, 3),
  'success@1': success(ranking, 1),
  'nDCG@10': ndcg(ranking),
  MRR: reciprocalRank(ranking, 2),
});

/** Returns the similarity of every operation, by task. */
const scoresOf = async (
  embedder: Embedder,
  { documents, tasks }: LabelledOperations,
  text: OperationText,
  progress: Progress,
): Promise<readonly (readonly number[])[]> => {
  const total = documents.reduce((sum, { operations }) => sum + operations.length, 0);
  progress.begin(`Embedding operations with ${await embedder.modelId()}`, total);
  const vectors: Float32Array[] = [];
  for (const document of documents) {
    vectors.push(...(await operationVectors(embedder, document, text)));
    progress.advance(document.operations.length);
  }
  progress.end();
  const { vectors: queryVectors } = await embedder.embed(
    tasks.map((task) => task.text),
    'query',
  );
  return queryVectors.map((query) => vectors.map((vector) => similarity(query, vector)));
};

const rankUnits = (scores: readonly number[], units: readonly string[]): RankedUnits => {
  const order = scores.map((score, at) => ({ score, at })).sort((x, y) => y.score - x.score || x.at - y.at);
  const best = order.slice(0, rankedMax);
  return { units: best.map(({ at }) => units[at] ?? ''), scores: best.map(({ score }) => score) };
};

const bm25 = (
  documents: readonly ApiDocument[],
  tasks: readonly LabelledTask[],
  units: readonly string[],
): readonly RankedUnits[] => {
  const counts = documents.flatMap((document) => {
    const title = termsOf(document.title);
    return document.operations.map((operation) => {
      const { summary, operationId, tags, path } = fieldTexts(document, operation);
      return termCounts([
        ...[title, ...[summary, operationId, tags].map(termsOf)].map((terms) => ({ terms, weight: 3 })),
        { terms: termsOf(inWords(path)), weight: 2 },
        { terms: termsOf(operation.description), weight: 1 },
      ]);
    });
  });
  const rank = createBm25(counts);
  return tasks.map(({ text }) => {
    const results = rank(termsOf(text)).slice(0, rankedMax);
    return { units: results.map(({ at }) => units[at] ?? ''), scores: results.map(({ score }) => score) };
  });
};

const noAnswerOf = (tasks: readonly LabelledTask[], rankers: readonly Ranker[]): OperationsEvaluation['noAnswer'] => {
  const unanswerable = tasks.filter(({ right }) => right.size === 0).length;
  if (unanswerable === 0 || unanswerable === tasks.length) return null;
  const bestsOf = ({ lists }: Ranker, answered: boolean): readonly number[] =>
    lists.filter((_, at) => (tasks[at]?.right.size ?? 0) > 0 === answered).map(bestOf);
  return {
    tasks: unanswerable,
    auroc: Object.fromEntries(
      rankers.map((ranker) => [ranker.key, auroc(bestsOf(ranker, true), bestsOf(ranker, false))]),
    ),
  };
};

const bestOf = ({ scores }: RankedUnits): number => scores[0] ?? 0;

/**
 * Returns the grades and scores of the first `count` results of each task. Results for tasks without an answer are
 * wrong.
 */
const gradedScores = (
  tasks: readonly LabelledTask[],
  lists: readonly RankedUnits[],
  count: number,
): readonly ScoredGrade[] =>
  tasks.flatMap(({ right }, task) =>
    (lists[task]?.units ?? [])
      .slice(0, count)
      .map((unit, at) => ({ score: lists[task]?.scores[at] ?? 0, grade: right.get(unit) ?? 0 })),
  );

const refusedOf = (tasks: readonly LabelledTask[], lists: readonly RankedUnits[]): OperationsEvaluation['refused'] => {
  const refused = tasks.filter((_, at) => (lists[at]?.scores[0] ?? 0) < operationScoreMin);
  const answered = refused.filter(({ right }) => right.size > 0).length;
  return { answered, unanswered: refused.length - answered };
};
