import { operationScoreMin } from '@portico/domain';
import type { Board, BoardRow } from './board.ts';
import type { Difference, Estimate } from './bootstrap.ts';
import { noiseShare, type Bucket } from './calibration.ts';
import type { CollectionsEvaluation } from './collections-evaluation.ts';
import type { Evaluation } from './evaluation.ts';
import type { OperationsEvaluation } from './operations-evaluation.ts';

/** Returns the evaluation as Markdown. The output is deterministic. */
export const markdownOf = ({ collections, operations }: Evaluation): string =>
  [
    '# Search quality',
    'Each figure is a mean over the queries of its kind, with its 95 % interval from 10,000 bootstrap resamples of the ' +
      'queries. Two rankers with overlapping intervals can still differ: compare them on the same queries.',
    ...(collections ? buildCollectionsSection(collections) : []),
    ...(operations ? buildOperationsSection(operations) : []),
  ].join('\n\n') + '\n';

const buildCollectionsSection = ({ model, apis, board, calibration }: CollectionsEvaluation): readonly string[] => [
  '## Collections',
  `${apis} APIs in a separate catalog, ${countOf(board)} labelled queries sent to \`POST /api/vector/search\`; the service embeds with ` +
    `\`${model}\`. BM25 (k1 1.2, b 0.75) ranks name and description, stemmed, without English stop words. Gain of ` +
    'nDCG: 2^grade − 1. Recall: the share of all relevant APIs. MRR: the first relevant result.',
  ...tablesOf(board),
  '### Scores',
  'The share of results with a `similarity_score` that were a direct answer, or at least related. Results without a label ' +
    'count as wrong.',
  formatCalibrationTable(calibration.first, calibration.topTen),
  calibration.noiseThreshold === 0
    ? `Even at the lowest scores of the first ten, at least ${formatPercent(noiseShare)} of the results are right.`
    : `Below ${calibration.noiseThreshold.toFixed(2)} fewer than ${formatPercent(noiseShare)} of the first ten results are right: these results are noise.`,
];

const buildOperationsSection = (evaluation: OperationsEvaluation) => {
  const { model, operations, documents, text, boards, noAnswer, calibration, noResult } = evaluation;
  return [
    '## Operations',
    `${operations} operations of ${documents} documents, ranked in this process. A result is right if the operation ` +
      'performs the task directly; variants of one API count once. ' +
      (text === 'fields'
        ? `\`${model}\` embeds title (weight 0.5), summary (1), operation id (0.5), tags (0.3), path (0.3) and the first ` +
          '200 characters of the description (0.3); their vectors are summed by weight and the square root of their words'
        : `\`${model}\` embeds one text of summary, title, operation id, tags, path and the first 200 characters of the ` +
          'description') +
      '. The vector of an operation is 0.75 of that and 0.25 of the vector of its collection. Operation search ranks ' +
      "with the service's vectors and features of operations (`tools/embedder/LABORATORY.md`).",
    ...boards.flatMap((board) => [`### ${board.title}`, ...tablesOf(board)]),
    ...(noAnswer
      ? [
          `How well the best score separates tasks with an answer from the ${noAnswer.tasks} without (AUROC): ` +
            `${Object.entries(noAnswer.auroc)
              .map(([ranker, figure]) => `${ranker} ${figure.toFixed(2)}`)
              .join(', ')}.`,
        ]
      : []),
    '### Scores of operation search',
    'The share of results with a score that perform the task directly, or in part; all results of tasks without an answer ' +
      'are wrong. Results without a label count as wrong.',
    formatCalibrationTable(calibration.first, calibration.topTen),
    `Results below ${operationScoreMin} are not shown: ${noResult.answered} tasks with an answer and ` +
      `${noResult.unanswered} without one get no result.`,
  ];
};

const countOf = ({ kinds }: Board): number => kinds[0]?.count ?? 0;

/** Returns one table for each metric, followed by a table of each ranker's lead over BM25. */
const tablesOf = (board: Board): readonly string[] => [
  ...board.metrics.map((metric) =>
    tableOf(
      [metric, ...board.kinds.map(({ name, count }) => `${name} (${count})`)],
      board.rows.map((row) => [
        row.label,
        ...board.kinds.map(({ name }) => formatEstimateCell(row.figures[name]?.[metric])),
      ]),
    ),
  ),
  tableOf(
    ['ahead of BM25, all', ...board.metrics],
    board.rows.flatMap((row) => (row.lead ? [[row.label, ...formatLeadCells(row, board.metrics)]] : [])),
  ),
];

const formatLeadCells = ({ lead }: BoardRow, metrics: readonly string[]): readonly string[] =>
  metrics.map((metric) => formatLeadCell(lead?.[metric]));

const formatEstimateCell = (figure: Estimate | undefined): string =>
  figure ? `${figure.mean.toFixed(3)} (${figure.low.toFixed(2)}–${figure.high.toFixed(2)})` : '';

const formatLeadCell = (figure: Difference | undefined): string =>
  figure
    ? `${formatSigned(figure.mean, 3)} (${formatSigned(figure.low, 2)} to ${formatSigned(figure.high, 2)}), p ${figure.p < 0.001 ? '< 0.001' : figure.p.toFixed(3)}`
    : '';

const formatSigned = (value: number, digits: number): string =>
  `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

const formatCalibrationTable = (topResults: readonly Bucket[], topTen: readonly Bucket[]): string => {
  const lowerBounds = [...new Set([...topResults, ...topTen].map(({ from }) => from))].sort((x, y) => x - y);
  const formatCells = (buckets: readonly Bucket[], from: number): readonly string[] => {
    const bucket = buckets.find((candidate) => candidate.from === from);
    return bucket ? [`${bucket.count}`, formatPercent(bucket.direct), formatPercent(bucket.relevant)] : ['0', '', ''];
  };
  return tableOf(
    ['score', 'first results', 'direct', 'related or direct', 'first ten', 'direct', 'related or direct'],
    lowerBounds.map((from) => [
      `${from.toFixed(2)} – ${(from + 0.05).toFixed(2)}`,
      ...formatCells(topResults, from),
      ...formatCells(topTen, from),
    ]),
  );
};

const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
