import { format } from 'prettier';
import { compact } from './compact.ts';
import type { ChartOfUnit, Curve, Machine, MeasuredCurve, Measurements, Row } from './curve.ts';

/** The figures of all curves as Markdown, with their charts, which are files beside it. */
export const markdownOf = (curves: readonly Curve[], { curves: measured }: Measurements): Promise<string> => {
  const sections = curves.flatMap((curve) => {
    const found = measured.find(({ name }) => name === curve.name);
    return found ? [sectionOf(curve, found)] : [];
  });
  const text = `# Curves

How the cost of a thing grows with the size of another. Made by \`npm run curves\`; figures and charts are replaced when
it runs again. Times are those of the machine that is named below each curve, shared by what is measured, by what asks
and, where they are named, by PostgreSQL, Redis and HAProxy: what counts is how a curve runs, and the CPU.

${sections.join('\n')}`;
  return format(text, { parser: 'markdown', proseWrap: 'always', printWidth });
};

export const jsonOf = (measurements: Measurements): Promise<string> =>
  format(JSON.stringify(measurements), { parser: 'json', printWidth });

/** The repository's, so that its check of formats has nothing to say. */
const printWidth = 120;

const machineOf = ({ cores, processor, memoryGiB, node }: Machine): string =>
  `${cores} cores of ${processor}, ${memoryGiB} GiB, Node ${node}`;

const sectionOf = (curve: Curve, measured: MeasuredCurve): string => {
  const paragraphs = [
    `## ${curve.title}`,
    curve.setting,
    `![${curve.title}](${curve.name}.svg)`,
    curve.reading,
    ...measured.notes.map((note) => `> ${note}`),
    ...(measured.loadBefore > busy * measured.machine.cores ? [`> ${busyWith(measured.loadBefore)}`] : []),
    '<details><summary>Figures</summary>',
    ...curve.charts.flatMap((chart) => tableOf(curve, chart, measured.rows)),
    `${Math.round(measured.seconds)} s, at commit ${measured.commit}, ${measured.measuredAt}, on ${machineOf(measured.machine)}.`,
    '</details>',
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
};

/** Processes for each core, from which on times say little. */
const busy = 0.5;

const busyWith = (load: number): string =>
  `The machine was busy with other work (load ${load.toFixed(1)} at the start): times, the 99th percentiles above all, include waiting ` +
  'for a core. CPU does not.';

const tableOf = (curve: Curve, { unit, title }: ChartOfUnit, rows: readonly Row[]): readonly string[] => {
  const own = rows.filter((row) => row.unit === unit);
  if (own.length === 0) return [];
  const series = [...new Set(own.map((row) => row.series))];
  const places = [...new Set(own.map(({ x }) => x))].sort((a, b) => a - b);
  const valueOf = (x: number, name: string): string => {
    const row = own.find((each) => each.x === x && each.series === name);
    return row ? compact(row.value) : '–';
  };
  const cells = [
    [`${curve.x.label}: ${title}`, ...series],
    ...places.map((x) => [x.toLocaleString('en'), ...series.map((name) => valueOf(x, name))]),
  ];
  const [head = [], ...body] = cells;
  return [[head, head.map(() => '--:'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')];
};
