import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  readonly text: () => Promise<string>;
  readonly requestEnded: (method: string, route: string, status: number, seconds: number) => void;
  readonly requestRefused: (policy: string) => void;
}

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures requests by the template of their path, never by the path itself, which would be as many series as ids. */
export const createHttpMetrics = (registry = new Registry()): HttpMetrics => {
  if (!registry.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests that were answered by 429',
    labelNames: ['policy'],
    registers: [registry],
  });
  return {
    text: () => registry.metrics(),
    requestEnded: (method, route, status, seconds) => {
      durations.observe({ method, route, status }, seconds);
    },
    requestRefused: (policy) => {
      refusals.inc({ policy });
    },
  };
};
