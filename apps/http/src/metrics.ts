import { callOutcomes, deliveryOutcomes, usageKinds, type UseCases } from '@portico/domain';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface HttpMetrics {
  readonly render: () => Promise<string>;
  /**
   * Counts a completed request. `route` is the path template, never the path itself, which would create a series for
   * each id.
   */
  readonly recordRequest: (method: string, route: string, status: number, seconds: number) => void;
  readonly recordRateLimitedRequest: (policy: string) => void;
}

export const createHttpMetrics = (registry: Registry, version: string): HttpMetrics => {
  if (!registry.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'portico_build_info',
    help: '1, labeled with the version of the service',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response, in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const rejections = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests rejected with 429',
    labelNames: ['policy'],
    registers: [registry],
  });
  return {
    render: () => registry.metrics(),
    recordRequest: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    recordRateLimitedRequest: (policy) => {
      rejections.inc({ policy });
    },
  };
};

/**
 * Reads the service's state when metrics are collected. Metrics that cannot be read because the database is unavailable
 * are omitted; `dependency_up` reports the outage.
 */
export const observeState = (
  registry: Registry,
  useCases: Pick<
    UseCases,
    | 'readOutboxState'
    | 'measureRevisions'
    | 'readReadiness'
    | 'readModelChange'
    | 'getUsageTotals'
    | 'getCallTotals'
    | 'getDeliveryTotals'
  >,
): void => {
  const registers = [registry];
  const readOutboxState = shareConcurrent(() => useCases.readOutboxState().catch(() => null));
  new Gauge({
    name: 'outbox_jobs',
    help: 'Waiting jobs, including retries and those in progress, and dead letters (given_up)',
    labelNames: ['state'],
    registers,
    async collect() {
      const state = await readOutboxState();
      this.reset();
      if (!state) return;
      this.set({ state: 'waiting' }, state.waiting);
      this.set({ state: 'given_up' }, state.deadLetters);
    },
  });
  new Gauge({
    name: 'outbox_oldest_due_seconds',
    help: 'How long the oldest due job has been waiting, in seconds; 0 if none is due',
    labelNames: [],
    registers,
    async collect() {
      const state = await readOutboxState();
      if (state) this.set(state.oldestDueSeconds);
      else this.remove();
    },
  });
  const readModelChange = shareConcurrent(() => useCases.readModelChange().catch(() => null));
  new Gauge({
    name: 'model_change_collections',
    help: 'While everything is embedded with a different model: collections done, waiting and failed permanently (given_up)',
    labelNames: ['state'],
    registers,
    async collect() {
      const change = await readModelChange();
      this.reset();
      if (!change) return;
      this.set({ state: 'done' }, change.done);
      this.set({ state: 'waiting' }, change.total - change.done - change.failed);
      this.set({ state: 'given_up' }, change.failed);
    },
  });
  observeRevisions(registers, useCases);
  observeUses(registers, useCases);
  observeCalls(registers, useCases);
  observeDeliveries(registers, useCases);
  observeDependencies(registers, useCases);
};

const observeRevisions = (registers: Registry[], useCases: Pick<UseCases, 'measureRevisions'>): void => {
  const measure = shareConcurrent(() => useCases.measureRevisions().catch(() => null));
  for (const { name, help, member } of revisionGauges) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const totals = await measure();
        if (totals) this.set(totals[member]);
        else this.remove();
      },
    });
  }
};

const revisionGauges = [
  { name: 'revisions', help: 'Revisions of all collections', member: 'revisions' },
  { name: 'revisions_bytes', help: 'The compressed size of all earlier documents', member: 'packedBytes' },
] as const;

const observeDependencies = (registers: Registry[], useCases: Pick<UseCases, 'readReadiness'>): void => {
  new Gauge({
    name: 'dependency_up',
    help: '1 while the dependency works, 0 while it does not',
    labelNames: ['dependency'],
    registers,
    async collect() {
      const { parts } = await useCases.readReadiness();
      for (const { name, state } of parts) this.set({ dependency: name }, state.status === 'ok' ? 1 : 0);
    },
  });
  for (const { name, dependency, help } of fallbacks) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const { parts } = await useCases.readReadiness();
        this.set(parts.some((part) => part.name === dependency && part.inFallback) ? 1 : 0);
      },
    });
  }
};

const fallbacks = [
  {
    name: 'rate_limiter_fallback',
    dependency: 'redis',
    help: '1 while this process counts requests in its own memory because Redis is unavailable, otherwise 0',
  },
  {
    name: 'job_queue_fallback',
    dependency: 'job queue',
    help: '1 while this process runs jobs without Redis because Redis is unavailable, otherwise 0',
  },
] as const;

/** Rejected requests are not uses; the rate-limit metrics count them. */
const servedKinds = usageKinds.filter((kind) => kind !== 'refused');

const observeUses = (registers: Registry[], useCases: Pick<UseCases, 'getUsageTotals'>): void => {
  new Counter({
    name: 'uses_total',
    help: 'Reads, searches, slices, calls and credential reads that this process has served',
    labelNames: ['kind'],
    registers,
    collect() {
      const totals = useCases.getUsageTotals();
      this.reset();
      for (const kind of servedKinds) this.inc({ kind }, totals[kind]);
    },
  });
};

/** A process that makes no calls has none of these metrics. */
const observeCalls = (registers: Registry[], { getCallTotals }: Pick<UseCases, 'getCallTotals'>): void => {
  if (!getCallTotals()) return;
  new Counter({
    name: 'calls_total',
    help: 'Calls of APIs that ended, by the class of the response, or by the reason why there was none',
    labelNames: ['outcome'],
    registers,
    collect() {
      const totals = getCallTotals();
      this.reset();
      for (const outcome of callOutcomes) this.inc({ outcome }, totals?.byOutcome[outcome] ?? 0);
    },
  });
  new Counter({
    name: 'call_seconds_total',
    help: 'The sum of the durations of these calls, in seconds',
    registers,
    collect() {
      this.reset();
      this.inc((getCallTotals()?.durationMs ?? 0) / 1_000);
    },
  });
  new Gauge({
    name: 'calls_in_flight',
    help: 'Calls that wait for a response',
    registers,
    collect() {
      this.set(getCallTotals()?.inFlight ?? 0);
    },
  });
};

const observeDeliveries = (registers: Registry[], { getDeliveryTotals }: Pick<UseCases, 'getDeliveryTotals'>): void => {
  new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook; `gone`: the receiver responded 410, and the webhook was deactivated',
    labelNames: ['outcome'],
    registers,
    collect() {
      const totals = getDeliveryTotals();
      this.reset();
      for (const outcome of deliveryOutcomes) this.inc({ outcome }, totals[outcome]);
    },
  });
};

/** Shares one read among concurrent callers, because all gauges are collected at the same time. */
const shareConcurrent = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let pending: Promise<Value> | null = null;
  return () =>
    (pending ??= read().finally(() => {
      pending = null;
    }));
};
