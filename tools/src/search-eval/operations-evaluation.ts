import { operationScoreMin, type Embedder, type OperationEmbedder } from '@portico/domain';
import type { ApiDocument } from './api-document.ts';
import { boardOf, type Board, type Figures } from './board.ts';
import { createBm25, termCounts } from './bm25.ts';
import { bucketsOf, type Bucket, type ScoredGrade } from './calibration.ts';
import { familyOfUnit, unitOf, type JudgedOperations, type JudgedTask } from './judged-operations.ts';
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
  /** By operation, and by the API that the operations belong to. */
  readonly boards: readonly Board[];
  /** How well the best score tells tasks with an answer from those without, by ranker; null without such tasks. */
  readonly noAnswer: { readonly tasks: number; readonly auroc: Readonly<Record<string, number>> } | null;
  /** What a score of the search of operations is worth, of first results and of the first ten. */
  readonly calibration: { readonly first: readonly Bucket[]; readonly firstTen: readonly Bucket[] };
  /** How many tasks get no result, because the best one is below the least score. */
  readonly refused: { readonly answered: number; readonly unanswered: number };
}

interface Ranker {
  readonly key: string;
  readonly label: string;
  /** The units of each task, best first, with the score of the best one. */
  readonly lists: readonly RankedUnits[];
}

interface RankedUnits {
  readonly units: readonly string[];
  /** One for each unit. */
  readonly scores: readonly number[];
}

/** How many operations of a ranking are looked at, before variants are dropped. */
const rankedMax = 200;
const metrics = ['success@5', 'success@3', 'success@1', 'nDCG@10', 'MRR'];

/** Ranks all operations for every task, in this process. */
export const evaluateOperations = async (
  { embedder, operationEmbedder }: { readonly embedder: Embedder; readonly operationEmbedder: OperationEmbedder },
  judged: JudgedOperations,
  text: OperationText,
  progress: Progress,
): Promise<OperationsEvaluation> => {
  const model = await embedder.modelId();
  const { documents, tasks } = judged;
  const units = documents.flatMap(({ file, operations }) =>
    operations.map(({ method, path }) => unitOf(judged.familyOf.get(file) ?? file, method, path)),
  );
  const own = await scoresOf(embedder, judged, text, progress);
  const found = await operationSearchScores(operationEmbedder, judged, progress);
  const search = found.map((scores) => ranked(scores, units));
  const rankers: readonly Ranker[] = [
    { key: 'embedder', label: `embedder alone, ${model}`, lists: own.map((scores) => ranked(scores, units)) },
    { key: 'search', label: 'operations search', lists: search },
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
      first: bucketsOf(gradedScores(tasks, search, 1)),
      firstTen: bucketsOf(gradedScores(tasks, search, 10)),
    },
    refused: refusedOf(tasks, search),
  };
};

const board = (
  names: Pick<Board, 'key' | 'title'>,
  tasks: readonly JudgedTask[],
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

/** Counts each thing once, at its best rank and its best grade. */
const gradedOf = (
  { right }: JudgedTask,
  units: readonly string[],
  levelOf: (unit: string) => string,
): GradedRanking => {
  const grades = new Map<string, number>();
  for (const [unit, grade] of right) grades.set(levelOf(unit), Math.max(grade, grades.get(levelOf(unit)) ?? 0));
  return {
    grades: [...new Set(units.map(levelOf))].map((one) => grades.get(one) ?? 0),
    judged: [...grades.values()],
  };
};

const figuresOf = (ranking: GradedRanking): Figures => ({
  'success@5': success(ranking, 5),
  'success@3': success(ranking, 3),
  'success@1': success(ranking, 1),
  'nDCG@10': ndcg(ranking),
  MRR: reciprocalRank(ranking, 2),
});

/** The similarity of every operation, by task. */
const scoresOf = async (
  embedder: Embedder,
  { documents, tasks }: JudgedOperations,
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
  const { vectors: asked } = await embedder.embed(
    tasks.map((task) => task.text),
    'query',
  );
  return asked.map((query) => vectors.map((vector) => similarity(query, vector)));
};

const ranked = (scores: readonly number[], units: readonly string[]): RankedUnits => {
  const order = scores.map((score, at) => ({ score, at })).sort((x, y) => y.score - x.score || x.at - y.at);
  const best = order.slice(0, rankedMax);
  return { units: best.map(({ at }) => units[at] ?? ''), scores: best.map(({ score }) => score) };
};

const bm25 = (
  documents: readonly ApiDocument[],
  tasks: readonly JudgedTask[],
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
    const found = rank(termsOf(text)).slice(0, rankedMax);
    return { units: found.map(({ at }) => units[at] ?? ''), scores: found.map(({ score }) => score) };
  });
};

const noAnswerOf = (tasks: readonly JudgedTask[], rankers: readonly Ranker[]): OperationsEvaluation['noAnswer'] => {
  const without = tasks.filter(({ right }) => right.size === 0).length;
  if (without === 0 || without === tasks.length) return null;
  const bestsOf = ({ lists }: Ranker, answered: boolean): readonly number[] =>
    lists.filter((_, at) => (tasks[at]?.right.size ?? 0) > 0 === answered).map(bestOf);
  return {
    tasks: without,
    auroc: Object.fromEntries(
      rankers.map((ranker) => [ranker.key, auroc(bestsOf(ranker, true), bestsOf(ranker, false))]),
    ),
  };
};

const bestOf = ({ scores }: RankedUnits): number => scores[0] ?? 0;

/** The first results of each task, with their scores; tasks without an answer count as wrong ones. */
const gradedScores = (
  tasks: readonly JudgedTask[],
  lists: readonly RankedUnits[],
  count: number,
): readonly ScoredGrade[] =>
  tasks.flatMap(({ right }, task) =>
    (lists[task]?.units ?? [])
      .slice(0, count)
      .map((unit, at) => ({ score: lists[task]?.scores[at] ?? 0, grade: right.get(unit) ?? 0 })),
  );

const refusedOf = (tasks: readonly JudgedTask[], lists: readonly RankedUnits[]): OperationsEvaluation['refused'] => {
  const refused = tasks.filter((_, at) => (lists[at]?.scores[0] ?? 0) < operationScoreMin);
  const answered = refused.filter(({ right }) => right.size > 0).length;
  return { answered, unanswered: refused.length - answered };
};
