import type { Histogram, Registry } from 'prom-client';
import type { RequestKind } from './request-kinds.ts';

export type Observe = (seconds: number) => void;

/** Of one set of labels. */
interface Series {
  readonly labels: RequestKind;
  /** How many were within each bound and above the one before it; the last are those above all bounds. */
  readonly counts: number[];
  sum: number;
}

const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A histogram for prom-client's registry whose series are looked up once and then observed without labels. That of
 * prom-client validates, sorts and joins the labels of each observation, which takes some 3 µs of a request.
 */
export class RequestDurations {
  readonly name = 'http_request_duration_seconds';
  readonly help = 'Time from the headers of a request to the end of its answer, in seconds';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #series: Series[] = [];

  constructor(registry: Registry) {
    // All that a registry asks of a metric is here; its type wants a class of its own.
    registry.registerMetric(this as unknown as Histogram);
  }

  /** Call it once for the same labels: each call adds a series. */
  addSeries(labels: RequestKind): Observe {
    const series: Series = { labels, counts: [...boundsSeconds, Infinity].map(() => 0), sum: 0 };
    this.#series.push(series);
    const { counts } = series;
    return (seconds) => {
      let at = 0;
      while (at < boundsSeconds.length && seconds > (boundsSeconds[at] as number)) at++;
      counts[at] = (counts[at] as number) + 1;
      series.sum += seconds;
    };
  }

  /** What a registry makes its text and its objects of. */
  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.#series.flatMap((series) => valuesOf(name, series)) };
  }

  reset(): void {
    for (const series of this.#series) {
      series.counts.fill(0);
      series.sum = 0;
    }
  }
}

/** Buckets are cumulative, as Prometheus wants them. */
const valuesOf = (name: string, { labels, counts, sum }: Series) => {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { le: boundsSeconds[at] ?? '+Inf', ...labels }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: total },
  ];
};
