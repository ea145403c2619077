import { operationScoreMin, type Embedder, type OperationEmbedder } from '@portico/domain';
import type { ApiDocument } from './api-document.ts';
import { boardOf, type Board, type Figures } from './board.ts';
import { createBm25, countTerms } from './bm25.ts';
import { bucketsOf, type Bucket, type ScoredGrade } from './calibration.ts';
import { unitFamilyOf, unitOf, type LabelledOperations, type LabelledTask } from './labelled-operations.ts';
import { scoreOperations } from './operation-search.ts';
import { buildFieldTexts, splitIntoWords, embedOperations, type OperationText } from './operation-vectors.ts';
import type { Progress } from './progress.ts';
import { computeAuroc, computeNdcg, computeReciprocalRank, successAt, type GradedRanking } from './scoring.ts';
import { termsOf } from './terms.ts';
import { computeSimilarity } from './vectors.ts';

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
  readonly calibration: { readonly first: readonly Bucket[]; readonly topTen: readonly Bucket[] };
  /** The number of tasks without a result, because the best result is below the minimum score. */
  readonly noResult: { readonly answered: number; readonly unanswered: number };
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
  labelledOperations: LabelledOperations,
  text: OperationText,
  progress: Progress,
): Promise<OperationsEvaluation> => {
  const model = await embedder.getModelId();
  const { documents, tasks } = labelledOperations;
  const units = documents.flatMap(({ file, operations }) =>
    operations.map(({ method, path }) => unitOf(labelledOperations.familyOf.get(file) ?? file, method, path)),
  );
  const embedderScores = await scoresOf(embedder, labelledOperations, text, progress);
  const searchScores = await scoreOperations(operationEmbedder, labelledOperations, progress);
  const searchRankings = searchScores.map((scores) => rankUnits(scores, units));
  const rankers: readonly Ranker[] = [
    {
      key: 'embedder',
      label: `embedder alone, ${model}`,
      lists: embedderScores.map((scores) => rankUnits(scores, units)),
    },
    { key: 'search', label: 'operations search', lists: searchRankings },
    { key: 'bm25', label: 'BM25, stemmed', lists: rankByBm25(documents, tasks, units) },
  ];
  return {
    model,
    operations: units.length,
    documents: documents.filter(({ operations }) => operations.length > 0).length,
    text,
    boards: [
      createBoard({ key: 'operations', title: 'Operations' }, tasks, rankers, (unit) => unit),
      createBoard({ key: 'apis', title: 'The API of the operation' }, tasks, rankers, unitFamilyOf),
    ],
    noAnswer: noAnswerOf(tasks, rankers),
    calibration: {
      first: bucketsOf(gradeResults(tasks, searchRankings, 1)),
      topTen: bucketsOf(gradeResults(tasks, searchRankings, 10)),
    },
    noResult: countTasksWithoutResult(tasks, searchRankings),
  };
};

const createBoard = (
  names: Pick<Board, 'key' | 'title'>,
  tasks: readonly LabelledTask[],
  rankers: readonly Ranker[],
  levelOf: (unit: string) => string,
): Board => {
  const answeredTasks = tasks.flatMap((task, index) => (task.grades.size === 0 ? [] : [{ task, index }]));
  return boardOf(
    { ...names, metrics },
    answeredTasks.map(({ task }) => task.kind),
    rankers.map(({ key, label, lists }) => ({
      key,
      label,
      byQuery: answeredTasks.map(({ task, index }) =>
        figuresOf(gradedRankingOf(task, lists[index]?.units ?? [], levelOf)),
      ),
    })),
  );
};

/** Returns a ranking that contains each unit or API once, with its best rank and its best grade. */
const gradedRankingOf = (
  { grades: taskGrades }: LabelledTask,
  units: readonly string[],
  levelOf: (unit: string) => string,
): GradedRanking => {
  const grades = new Map<string, number>();
  for (const [unit, grade] of taskGrades) grades.set(levelOf(unit), Math.max(grade, grades.get(levelOf(unit)) ?? 0));
  return {
    grades: [...new Set(units.map(levelOf))].map((level) => grades.get(level) ?? 0),
    reachable: [...grades.values()],
  };
};

const figuresOf = (ranking: GradedRanking): Figures => ({
  'success@5': successAt(ranking, 5),
  'success@3': successAt(ranking, 3),
  'success@1': successAt(ranking, 1),
  'nDCG@10': computeNdcg(ranking),
  MRR: computeReciprocalRank(ranking, 2),
});

/** Returns the similarity of every operation, by task. */
const scoresOf = async (
  embedder: Embedder,
  { documents, tasks }: LabelledOperations,
  text: OperationText,
  progress: Progress,
): Promise<readonly (readonly number[])[]> => {
  const total = documents.reduce((sum, { operations }) => sum + operations.length, 0);
  progress.begin(`Embedding operations with ${await embedder.getModelId()}`, total);
  const vectors: Float32Array[] = [];
  for (const document of documents) {
    vectors.push(...(await embedOperations(embedder, document, text)));
    progress.advance(document.operations.length);
  }
  progress.end();
  const { vectors: queryVectors } = await embedder.embed(
    tasks.map((task) => task.text),
    'query',
  );
  return queryVectors.map((query) => vectors.map((vector) => computeSimilarity(query, vector)));
};

const rankUnits = (scores: readonly number[], units: readonly string[]): RankedUnits => {
  const rankedUnits = scores
    .map((score, index) => ({ score, index }))
    .sort((x, y) => y.score - x.score || x.index - y.index);
  const topResults = rankedUnits.slice(0, rankedMax);
  return { units: topResults.map(({ index }) => units[index] ?? ''), scores: topResults.map(({ score }) => score) };
};

const rankByBm25 = (
  documents: readonly ApiDocument[],
  tasks: readonly LabelledTask[],
  units: readonly string[],
): readonly RankedUnits[] => {
  const counts = documents.flatMap((document) => {
    const title = termsOf(document.title);
    return document.operations.map((operation) => {
      const { summary, operationId, tags, path } = buildFieldTexts(document, operation);
      return countTerms([
        ...[title, ...[summary, operationId, tags].map(termsOf)].map((terms) => ({ terms, weight: 3 })),
        { terms: termsOf(splitIntoWords(path)), weight: 2 },
        { terms: termsOf(operation.description), weight: 1 },
      ]);
    });
  });
  const rank = createBm25(counts);
  return tasks.map(({ text }) => {
    const results = rank(termsOf(text)).slice(0, rankedMax);
    return { units: results.map(({ index }) => units[index] ?? ''), scores: results.map(({ score }) => score) };
  });
};

const noAnswerOf = (tasks: readonly LabelledTask[], rankers: readonly Ranker[]): OperationsEvaluation['noAnswer'] => {
  const unanswerableCount = tasks.filter(({ grades }) => grades.size === 0).length;
  if (unanswerableCount === 0 || unanswerableCount === tasks.length) return null;
  const bestScoresOf = ({ lists }: Ranker, hasAnswer: boolean): readonly number[] =>
    lists.filter((_, index) => (tasks[index]?.grades.size ?? 0) > 0 === hasAnswer).map(bestScoreOf);
  return {
    tasks: unanswerableCount,
    auroc: Object.fromEntries(
      rankers.map((ranker) => [ranker.key, computeAuroc(bestScoresOf(ranker, true), bestScoresOf(ranker, false))]),
    ),
  };
};

const bestScoreOf = ({ scores }: RankedUnits): number => scores[0] ?? 0;

/**
 * Returns the grades and scores of the first `count` results of each task. Results for tasks without an answer are
 * wrong.
 */
const gradeResults = (
  tasks: readonly LabelledTask[],
  lists: readonly RankedUnits[],
  count: number,
): readonly ScoredGrade[] =>
  tasks.flatMap(({ grades }, task) =>
    (lists[task]?.units ?? [])
      .slice(0, count)
      .map((unit, index) => ({ score: lists[task]?.scores[index] ?? 0, grade: grades.get(unit) ?? 0 })),
  );

const countTasksWithoutResult = (
  tasks: readonly LabelledTask[],
  lists: readonly RankedUnits[],
): OperationsEvaluation['noResult'] => {
  const tasksWithoutResult = tasks.filter((_, index) => (lists[index]?.scores[0] ?? 0) < operationScoreMin);
  const answeredCount = tasksWithoutResult.filter(({ grades }) => grades.size > 0).length;
  return { answered: answeredCount, unanswered: tasksWithoutResult.length - answeredCount };
};
