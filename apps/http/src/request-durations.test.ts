import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestDurations } from './request-durations.ts';

const labels = { method: 'GET', route: '/api/collections/', status: 200 };
const otherLabels = { ...labels, status: 404 };
/** On each bound, beside it, and beyond the last. */
const seconds = [0, 0.001, 0.0010001, 0.0024, 0.0025, 0.3, 5, 10, 10.1, 3_600];

test('it tells what a histogram of prom-client tells, as text and as objects', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = new RequestDurations(ours);
  const reference = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [theirs],
  });
  const [observe, observeOther] = [durations.addSeries(labels), durations.addSeries(otherLabels)];
  for (const each of seconds) {
    observe(each);
    reference.observe(labels, each);
  }
  observeOther(1);
  reference.observe(otherLabels, 1);

  expect(await ours.metrics()).toBe(await theirs.metrics());
  const withoutExemplars = (metrics: unknown): unknown =>
    JSON.parse(JSON.stringify(metrics), (key, value: unknown) => (key === 'exemplar' ? undefined : value));
  expect(withoutExemplars(await ours.getMetricsAsJSON())).toEqual(withoutExemplars(await theirs.getMetricsAsJSON()));
});

test('a reset begins each series at zero', async () => {
  const registry = new Registry();
  const durations = new RequestDurations(registry);
  const observe = durations.addSeries(labels);
  observe(1);
  registry.resetMetrics();
  observe(0.5);
  expect((await registry.metrics()).match(/(?<=_(?:sum|count)\{.*\} )\S+/g)).toEqual(['0.5', '1']);
});
