import type { RequestFigures } from './requests.ts';
import type { MedianEstimate } from './statistics.ts';

/** The run fails if a figure exceeds its budget by this factor. */
const slack = 2;

export const isFailure = (figure: number, budget: number | null): boolean => budget !== null && figure > budget * slack;

/** Returns a Markdown table with one column for each figure. */
const formatTable = (columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
  const rule = columns.map((_, index) => (index === 0 ? '-'.repeat(44) : `${'-'.repeat(15)}:`));
  return [columns, rule, ...rows].map(
    ([name = '', ...figures]) =>
      `| ${[name.padEnd(44), ...figures.map((figure) => figure.padStart(16))].join(' | ')} |`,
  );
};

export const requestTable = (figures: readonly RequestFigures[]): readonly string[] =>
  formatTable(
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

/** Returns the cost of requests relative to the other commit, and whether the difference is significant. */
export const changeLines = (figures: readonly RequestFigures[], commit: string): readonly string[] => [
  `\nRelative to the service at ${commit}`,
  ...figures.flatMap(({ name, change }) =>
    change ? [`${name.padEnd(46)} ${estimateOf(change, 3)}: ${describeChange(change)}`] : [],
  ),
];

const estimateOf = ({ median, low, high }: MedianEstimate, digits = 2): string =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;

const describeChange = ({ median, low, high }: MedianEstimate): string => {
  if (low <= 1 && high >= 1) return 'no significant change';
  return `changed by ${median < 1 ? '−' : '+'}${Math.abs((median - 1) * 100).toFixed(1)} %`;
};

/** A figure of a benchmark, with its budget. */
export interface Figure {
  readonly name: string;
  readonly ms: number;
  readonly budgetMs: number;
}

/** Prints the figures as Markdown and sets the exit code to 1 if a figure is more than twice its budget. */
export const reportFigures = (title: string, figures: readonly Figure[]): void => {
  const rows = figures.map(({ name, ms, budgetMs }) => [name, ms.toFixed(2), budgetOf(ms, budgetMs)]);
  for (const line of formatTable([title, 'ms', 'budget'], rows)) console.log(line);
  if (figures.some(({ ms, budgetMs }) => isFailure(ms, budgetMs))) process.exitCode = 1;
};
