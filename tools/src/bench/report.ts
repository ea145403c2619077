import type { Reading, RequestFigures } from './requests.ts';
import { medianOf, type MedianEstimate } from './statistics.ts';

export const nameWidth = 46;
const column = (text: string, width: number): string => text.padStart(width);

export const requestHeader = (against: string | null): string =>
  [
    'request'.padEnd(nameWidth),
    column('µs CPU', 8),
    column('× bare', 7),
    column('95 %', 13),
    column('budget', 8),
    column('GC', 8),
    column('delay', 8),
    column('p50/p99/p99.9 ms', 20),
    ...(against === null ? [] : [column(`× ${against}`, 12)]),
  ].join('');

export const reportRequest = ({ name, service, ratio, budget, change, latencies }: RequestFigures): string =>
  [
    name.padEnd(nameWidth),
    column(service.cpuMicroseconds.toFixed(1), 8),
    column(ratio.median.toFixed(2), 7),
    column(intervalOf(ratio), 13),
    column(budget?.toFixed(1) ?? '–', 8),
    column(`${(service.gcShare * 100).toFixed(1)} %`, 8),
    column(`${service.longestDelayMs.toFixed(0)} ms`, 8),
    column([latencies.p50, latencies.p99, latencies.p999].map((ms) => ms.toFixed(1)).join('/'), 20),
    ...(change ? [column(change.median.toFixed(3), 12)] : []),
    ...(budget !== null && ratio.median > budget ? ['  over'] : []),
  ].join('');

/** Which requests cost more or less than those of the other commit, beyond the interval. */
export const reportChange = ({ commit, against, requests }: Reading): readonly string[] => [
  `\n${commit} × ${against}`,
  ...requests.flatMap(({ name, change }) =>
    change
      ? [`${name.padEnd(nameWidth)} ${change.median.toFixed(3)} (${intervalOf(change, 3)}): ${verdictOf(change)}`]
      : [],
  ),
];

/** How far the readings are apart. */
export const reportReadings = (readings: readonly Reading[]): readonly string[] => {
  const names = readings[0]?.requests.map(({ name }) => name) ?? [];
  const lines = names.map((name, at) => {
    const medians = readings.map(({ requests }) => requests[at]?.ratio.median ?? Number.NaN);
    const apart = (Math.max(...medians) / Math.min(...medians) - 1) * 100;
    const list = medians.map((median) => median.toFixed(2)).join(' ');
    return `${name.padEnd(nameWidth)} ${list}   median ${medianOf(medians).toFixed(2)}, at most ${apart.toFixed(1)} % apart`;
  });
  return [`\n${readings.length} readings, × bare`, ...lines];
};

export const intervalOf = ({ low, high }: MedianEstimate, digits = 2): string =>
  `${low.toFixed(digits)}–${high.toFixed(digits)}`;

const verdictOf = ({ median, low, high }: MedianEstimate): string => {
  if (low <= 1 && high >= 1) return 'not changed';
  return `changed by ${median < 1 ? '−' : '+'}${Math.abs((median - 1) * 100).toFixed(1)} %`;
};
