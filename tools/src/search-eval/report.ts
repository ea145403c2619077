import { operationScoreMin } from '@portico/domain';
import type { Board, BoardRow } from './board.ts';
import type { Difference, Estimate } from './bootstrap.ts';
import { noiseShare, type Bucket } from './calibration.ts';
import type { CollectionsEvaluation } from './collections-evaluation.ts';
import type { Evaluation } from './evaluation.ts';
import type { OperationsEvaluation } from './operations-evaluation.ts';

/** The evaluation as Markdown. The same figures always make the same text. */
export const markdownOf = ({ collections, operations }: Evaluation): string =>
  [
    '# Quality of search',
    'Each figure is a mean over the queries of its kind, with the interval that holds it for 95 % of 10,000 resamples of ' +
      'the queries. Two rankers whose intervals overlap can still differ: what counts is the difference on the same queries.',
    ...(collections ? collectionsOf(collections) : []),
    ...(operations ? operationsOf(operations) : []),
  ].join('\n\n') + '\n';

const collectionsOf = ({ model, apis, board, calibration }: CollectionsEvaluation): readonly string[] => [
  '## Collections',
  `${apis} APIs in a catalog of their own, ${countOf(board)} judged queries asked by \`POST /api/vector/search\`; the service embeds with ` +
    `\`${model}\`. BM25 (k1 1.2, b 0.75) ranks name and description, stemmed, without English stop words. Gain of ` +
    'nDCG: 2^grade − 1. Recall: the share of everything relevant. MRR: the first relevant result.',
  ...tablesOf(board),
  '### What a score means',
  'Of the results with such a `similarity_score`, so many were a direct answer, or at least related. What nobody judged ' +
    'counts as wrong.',
  calibrationTable(calibration.first, calibration.firstTen),
  calibration.noiseBelow === 0
    ? `No score of the first ten is so low that fewer than ${percent(noiseShare)} of the results are right.`
    : `Below ${calibration.noiseBelow.toFixed(2)} fewer than ${percent(noiseShare)} of the first ten results are right: from there on a list is noise.`,
];

const operationsOf = (evaluation: OperationsEvaluation) => {
  const { model, operations, documents, text, boards, noAnswer, calibration, refused } = evaluation;
  return [
    '## Operations',
    `${operations} operations of ${documents} documents, ranked in this process. A result is right if it is an operation ` +
      'that does the task directly; variants of one API count once. ' +
      (text === 'fields'
        ? `\`${model}\` embeds title (weight 0.5), summary (1), operation id (0.5), tags (0.3), path (0.3) and the first ` +
          '200 characters of the description (0.3); their vectors are summed by weight and the square root of their words'
        : `\`${model}\` embeds one text of summary, title, operation id, tags, path and the first 200 characters of the ` +
          'description') +
      '. The vector of an operation is 0.75 of that and 0.25 of the vector of its collection. Operations search ranks ' +
      'by the vectors and features that the service searches operations by (`tools/embedder/LABORATORY.md`).',
    ...boards.flatMap((board) => [`### ${board.title}`, ...tablesOf(board)]),
    ...(noAnswer
      ? [
          `How well the best score tells the tasks with an answer from the ${noAnswer.tasks} without (AUROC): ` +
            `${Object.entries(noAnswer.auroc)
              .map(([ranker, figure]) => `${ranker} ${figure.toFixed(2)}`)
              .join(', ')}.`,
        ]
      : []),
    '### What a score of the search of operations means',
    'Of the results with such a score, so many did the task directly, or in part; all results of tasks without an answer ' +
      'are wrong. What nobody judged counts as wrong.',
    calibrationTable(calibration.first, calibration.firstTen),
    `Below ${operationScoreMin} no result is shown: that is so for ${refused.answered} tasks with an answer, and for ` +
      `${refused.unanswered} without.`,
  ];
};

const countOf = ({ kinds }: Board): number => kinds[0]?.count ?? 0;

/** One table for each metric, then how far each ranker is ahead of BM25. */
const tablesOf = (board: Board): readonly string[] => [
  ...board.metrics.map((metric) =>
    tableOf(
      [metric, ...board.kinds.map(({ name, count }) => `${name} (${count})`)],
      board.rows.map((row) => [row.label, ...board.kinds.map(({ name }) => cell(row.figures[name]?.[metric]))]),
    ),
  ),
  tableOf(
    ['ahead of BM25, all', ...board.metrics],
    board.rows.flatMap((row) => (row.ahead ? [[row.label, ...aheadCells(row, board.metrics)]] : [])),
  ),
];

const aheadCells = ({ ahead }: BoardRow, metrics: readonly string[]): readonly string[] =>
  metrics.map((metric) => aheadCell(ahead?.[metric]));

const cell = (figure: Estimate | undefined): string =>
  figure ? `${figure.mean.toFixed(3)} (${figure.low.toFixed(2)}–${figure.high.toFixed(2)})` : '';

const aheadCell = (figure: Difference | undefined): string =>
  figure
    ? `${signed(figure.mean, 3)} (${signed(figure.low, 2)} to ${signed(figure.high, 2)}), p ${figure.p < 0.001 ? '< 0.001' : figure.p.toFixed(3)}`
    : '';

const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

const calibrationTable = (first: readonly Bucket[], firstTen: readonly Bucket[]): string => {
  const starts = [...new Set([...first, ...firstTen].map(({ from }) => from))].sort((x, y) => x - y);
  const cells = (buckets: readonly Bucket[], from: number): readonly string[] => {
    const bucket = buckets.find((one) => one.from === from);
    return bucket ? [`${bucket.count}`, percent(bucket.direct), percent(bucket.right)] : ['0', '', ''];
  };
  return tableOf(
    ['score', 'first results', 'direct', 'related or direct', 'first ten', 'direct', 'related or direct'],
    starts.map((from) => [
      `${from.toFixed(2)} – ${(from + 0.05).toFixed(2)}`,
      ...cells(first, from),
      ...cells(firstTen, from),
    ]),
  );
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
