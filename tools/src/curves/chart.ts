import { escaped, shown } from '../search-eval/chart.ts';
import type { Axis, ChartOfUnit, Curve, Row, Scale } from './curve.ts';
import { compact } from './compact.ts';

const panel = { width: 480, height: 300, left: 64, right: 20, top: 62, bottom: 52 } as const;
const plot = {
  width: panel.width - panel.left - panel.right,
  height: panel.height - panel.top - panel.bottom,
  bottom: panel.height - panel.bottom,
} as const;
const columns = 2;

/** Colours that differ in brightness too, for either background; series also differ by their dashes. */
const palette = [
  ['#1d6fd1', '#4c9bf5', ''],
  ['#c2570c', '#f0a045', '6 3'],
  ['#0b7d6e', '#2cc3ad', '2 3'],
  ['#8a3ffc', '#b794f6', '10 3 2 3'],
  ['#9f1239', '#fb7185', '8 4'],
  ['#52606d', '#a3adb8', '1 3'],
] as const;

const seriesStyle = (colour: 0 | 1): string =>
  palette
    .map((colours, at) => `.s${at} { stroke: ${colours[colour]}; } .d${at} { fill: ${colours[colour]}; }`)
    .join(' ');

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2933; }
  .title { font-size: 13px; font-weight: 600; }
  .quiet { fill: #52606d; font-size: 11px; }
  .grid { stroke: #d5dbe1; }
  .line { fill: none; stroke-width: 2; }
  ${seriesStyle(0)}
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb; }
    .quiet { fill: #a3adb8; }
    .grid { stroke: #3b4754; }
    ${seriesStyle(1)}
  }`;

/** Draws a panel for each unit of the curve that has figures: a line for each series, a dot for each figure. */
export const chartOf = ({ title, x, charts }: Pick<Curve, 'title' | 'x' | 'charts'>, rows: readonly Row[]): string => {
  const series = [...new Set(rows.map((row) => row.series))];
  const drawn = charts.filter(({ unit }) => rows.some((row) => row.unit === unit));
  const width = panel.width * Math.min(columns, Math.max(1, drawn.length));
  const height = panel.height * Math.ceil(drawn.length / columns);
  const panels = drawn.map((chart, at) => {
    const [left, top] = [(at % columns) * panel.width, Math.floor(at / columns) * panel.height];
    const own = rows.filter(({ unit, value }) => unit === chart.unit && (chart.scale === 'linear' || value > 0));
    return `<g transform="translate(${left} ${top})">\n${panelOf(x, chart, own, series)}\n</g>`;
  });
  const label = escaped(`${title}: ${drawn.map((chart) => chart.title).join('; ')}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<style>${style}
</style>
${panels.join('\n')}
</svg>
`;
};

const panelOf = (x: Axis, chart: ChartOfUnit, rows: readonly Row[], series: readonly string[]): string => {
  const places = [...new Set(rows.map((row) => row.x))].sort((a, b) => a - b);
  const ticks = ticksOf(
    chart.scale,
    rows.map(({ value }) => value),
  );
  const along = placing(x.scale, places);
  const up = placing(chart.scale, ticks);
  const xOf = (value: number): number => panel.left + along(value) * plot.width;
  const yOf = (value: number): number => plot.bottom - up(value) * plot.height;
  const grid = ticks.map((tick) => {
    const y = shown(yOf(tick));
    return (
      `<line class="grid" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${y}" y2="${y}"/>` +
      `<text class="quiet" x="${panel.left - 8}" y="${shown(yOf(tick) + 4)}" text-anchor="end">${compact(tick)}</text>`
    );
  });
  const marks = apart(places, xOf).map(
    (place) =>
      `<line class="grid" x1="${shown(xOf(place))}" x2="${shown(xOf(place))}" y1="${plot.bottom}" y2="${plot.bottom + 4}"/>` +
      `<text class="quiet" x="${shown(xOf(place))}" y="${plot.bottom + 18}" text-anchor="middle">${compact(place)}</text>`,
  );
  const lines = series.map((name, at) => {
    const own = rows.filter((row) => row.series === name).sort((a, b) => a.x - b.x);
    if (own.length === 0) return '';
    const style = at % palette.length;
    const points = own.map((row) => `${shown(xOf(row.x))},${shown(yOf(row.value))}`);
    const dots = own.map(
      (row) =>
        `<circle class="d${style}" cx="${shown(xOf(row.x))}" cy="${shown(yOf(row.value))}" r="3">` +
        `<title>${escaped(`${name}, ${compact(row.x)}: ${compact(row.value)} ${chart.unit}`)}</title></circle>`,
    );
    return `<polyline class="line s${style}" stroke-dasharray="${palette[style]?.[2]}" points="${points.join(' ')}"/>${dots.join('')}`;
  });
  const label = `${x.label}${x.scale === 'log' ? ' (logarithmic)' : ''}`;
  return [
    `<text class="title" x="${panel.left}" y="20">${escaped(chart.title + (chart.scale === 'log' ? ' (logarithmic)' : ''))}</text>`,
    legendOf(series, rows),
    ...grid,
    ...marks,
    `<text class="quiet" x="${shown(panel.left + plot.width / 2)}" y="${panel.height - 12}" text-anchor="middle">${escaped(label)}</text>`,
    ...lines.filter((line) => line !== ''),
  ].join('\n');
};

/** About the width of a character, so that entries follow each other. */
const characterWidth = 6.4;

const legendOf = (series: readonly string[], rows: readonly Row[]): string => {
  let x: number = panel.left;
  return series
    .map((name, at) => [name, at % palette.length] as const)
    .filter(([name]) => rows.some((row) => row.series === name))
    .map(([name, style]) => {
      const entry =
        `<line class="line s${style}" stroke-dasharray="${palette[style]?.[2]}" x1="${shown(x)}" x2="${shown(x + 18)}" y1="38" y2="38"/>` +
        `<text x="${shown(x + 22)}" y="42">${escaped(name)}</text>`;
      x += 22 + name.length * characterWidth + 14;
      return entry;
    })
    .join('\n');
};

/** Where a value stands between the first and the last of these ascending ones: from 0 to 1. */
const placing = (scale: Scale, values: readonly number[]): ((value: number) => number) => {
  const measure = scale === 'log' ? Math.log : (value: number) => value;
  const [first, last] = [measure(values[0] ?? 0), measure(values.at(-1) ?? 1)];
  return (value) => (last === first ? 0.5 : (measure(value) - first) / (last - first));
};

/** Round numbers that enclose the values: from 0, or on a logarithmic scale each decade, or 1, 2 and 5 of it. */
export const ticksOf = (scale: Scale, values: readonly number[]): readonly number[] => {
  const finite = values.filter((value) => Number.isFinite(value) && (scale === 'linear' || value > 0));
  const [least, greatest] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) return scale === 'log' ? [1, 10] : [0, 1];
  if (scale === 'linear') return linearTicks(greatest);
  const steps = Math.log10(greatest / least) > 2.5 ? [1] : [1, 2, 5];
  const all = Array.from({ length: 34 }, (_, at) => at - 17).flatMap((power) =>
    steps.map((step) => Number(`${step}e${power}`)),
  );
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick, at) => tick >= greatest && at > first);
  return all.slice(first, last + 1);
};

const linearTicks = (greatest: number): readonly number[] => {
  if (greatest <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(greatest / 4));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power * 5 >= greatest) ?? 10) * power;
  return Array.from({ length: Math.ceil(greatest / step) + 1 }, (_, at) => Number((at * step).toPrecision(12)));
};

/** Those whose labels do not touch; the last one is always among them. */
const apart = (places: readonly number[], xOf: (place: number) => number): readonly number[] => {
  const kept: number[] = [];
  for (const place of places.toReversed()) {
    const next = kept.at(-1);
    if (next === undefined || xOf(next) - xOf(place) >= 34) kept.push(place);
  }
  return kept;
};
