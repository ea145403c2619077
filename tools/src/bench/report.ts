import type { RequestFigures } from './requests.ts';
import type { MedianEstimate } from './statistics.ts';

/** A budget that is exceeded so many times fails the run. */
const slack = 2;

export const isFailure = (figure: number, budget: number | null): boolean => budget !== null && figure > budget * slack;

/** As Markdown; each figure has a column of its own. */
const table = (columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
  const rule = columns.map((_, at) => (at === 0 ? '-'.repeat(44) : `${'-'.repeat(15)}:`));
  return [columns, rule, ...rows].map(
    ([name = '', ...figures]) =>
      `| ${[name.padEnd(44), ...figures.map((figure) => figure.padStart(16))].join(' | ')} |`,
  );
};

export const requestTable = (figures: readonly RequestFigures[]): readonly string[] =>
  table(
    ['request', 'µs CPU', '× bare Express', 'budget'],
    figures.map(({ name, cpuMicroseconds, ratio, budget }) => [
      name,
      cpuMicroseconds.toFixed(0),
      estimateOf(ratio),
      budgetOf(ratio.median, budget),
    ]),
  );

const budgetOf = (figure: number, budget: number | null): string =>
  budget === null ? '–' : `${budget}${figure > budget ? ' over' : ''}`;

/** How much more or less requests cost than those of the other commit, and whether that is beyond the interval. */
export const changeLines = (figures: readonly RequestFigures[], against: string): readonly string[] => [
  `\n× the service of ${against}`,
  ...figures.flatMap(({ name, change }) =>
    change ? [`${name.padEnd(46)} ${estimateOf(change, 3)}: ${verdictOf(change)}`] : [],
  ),
];

const estimateOf = ({ median, low, high }: MedianEstimate, digits = 2): string =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;

const verdictOf = ({ median, low, high }: MedianEstimate): string => {
  if (low <= 1 && high >= 1) return 'not changed';
  return `changed by ${median < 1 ? '−' : '+'}${Math.abs((median - 1) * 100).toFixed(1)} %`;
};

/** A figure of one of the scripts, with its budget. */
export interface Figure {
  readonly name: string;
  readonly ms: number;
  readonly budgetMs: number;
}

/** Prints the figures as Markdown, and lets the process end with 1 if one is beyond twice its budget. */
export const reportFigures = (what: string, figures: readonly Figure[]): void => {
  const rows = figures.map(({ name, ms, budgetMs }) => [name, ms.toFixed(2), budgetOf(ms, budgetMs)]);
  for (const line of table([what, 'ms', 'budget'], rows)) console.log(line);
  if (figures.some(({ ms, budgetMs }) => isFailure(ms, budgetMs))) process.exitCode = 1;
};
