import { expect, test } from 'vitest';
import { chartOf, ticksOf } from './chart.ts';
import type { Curve, Row } from './curve.ts';

const curve: Pick<Curve, 'title' | 'x' | 'charts'> = {
  title: 'Time & memory',
  x: { label: 'rows', scale: 'log' },
  charts: [
    { unit: 'ms', title: 'time, ms', scale: 'log' },
    { unit: 'MiB', title: 'memory, MiB', scale: 'linear' },
    { unit: 'KB', title: 'nothing was measured of this', scale: 'linear' },
  ],
};
const rows: readonly Row[] = [
  { x: 1_000, series: '<all>', value: 10, unit: 'ms' },
  { x: 10, series: '<all>', value: 1, unit: 'ms' },
  { x: 100, series: '<all>', value: 100, unit: 'ms' },
  { x: 10, series: 'few', value: 1, unit: 'ms' },
  { x: 10, series: '<all>', value: 0, unit: 'MiB' },
  { x: 1_000, series: '<all>', value: 8, unit: 'MiB' },
];
const svg = chartOf(curve, rows);
/** The points of the lines, in the order of the panels and series. */
const lines = [...svg.matchAll(/points="([^"]*)"/g)].map(([, points = '']) =>
  points.split(' ').map((point) => point.split(',').map(Number)),
);

test('each unit with figures has a panel, and each series that has any in it a line', () => {
  expect(svg.match(/<g /g)).toHaveLength(2);
  expect(lines).toHaveLength(3);
  expect(svg).not.toContain('nothing was measured');
});

test('the dots of a line stand in the order of x, and on logarithmic axes decades are as far apart as each other', () => {
  const [all = []] = lines;
  const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = [], [x3 = 0, y3 = 0] = []] = all;
  expect(x2 - x1).toBeCloseTo(x3 - x2, 0);
  expect(x2).toBeGreaterThan(x1);
  // 1, 100, 10 milliseconds, upwards.
  expect(y1 - y2).toBeCloseTo(2 * (y1 - y3), 0);
});

test('a linear axis begins at 0', () => {
  const [, , [[, zero = 0] = [], [, eight = 0] = []] = []] = lines;
  expect(zero).toBe(248);
  expect(eight).toBeLessThan(zero);
});

test('axes are named with their scale, and texts are escaped', () => {
  expect(svg).toContain('>rows (logarithmic)</text>');
  expect(svg).toContain('>time, ms (logarithmic)</text>');
  expect(svg).toContain('>memory, MiB</text>');
  expect(svg).toContain('&lt;all&gt;');
  expect(svg).toContain('aria-label="Time &amp; memory: ');
  expect(svg).not.toContain('<all>');
});

test('a series has the same colour in every panel, and another in the dark', () => {
  expect(svg.match(/class="line s0" stroke-dasharray="" points/g)).toHaveLength(2);
  const [light = '', dark = ''] = svg.split('prefers-color-scheme: dark');
  expect(light).toContain('.s0 { stroke: #1d6fd1; }');
  expect(dark).toContain('.s0 { stroke: #4c9bf5; }');
  expect(svg).not.toMatch(/@import|@font-face|https?:(?!\/\/www\.w3\.org)/);
});

test('what is not above 0 is not on a logarithmic axis', () => {
  const none = { x: 10, series: '<all>', value: 0, unit: 'ms' };
  expect(chartOf(curve, [...rows, none])).toBe(svg);
  expect(svg).not.toContain('NaN');
  expect(svg).not.toContain('Infinity');
});

test('ticks are round numbers that enclose the values', () => {
  expect(ticksOf('linear', [3, 8])).toEqual([0, 2, 4, 6, 8]);
  expect(ticksOf('linear', [0.3, 0.07])).toEqual([0, 0.1, 0.2, 0.3]);
  expect(ticksOf('linear', [0])).toEqual([0, 1]);
  expect(ticksOf('log', [0.02, 300])).toEqual([0.01, 0.1, 1, 10, 100, 1_000]);
  expect(ticksOf('log', [3, 8])).toEqual([2, 5, 10]);
  expect(ticksOf('log', [5])).toEqual([5, 10]);
  expect(ticksOf('log', [0, Number.NaN])).toEqual([1, 10]);
});
