import type { StorePorts } from '@portico/domain';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/**
 * Records what this process does as spans (OpenTelemetry). Absent unless it is configured, so that it costs nothing
 * then: who may record one asks whether it is there.
 */
export interface Tracing {
  /** Begins the span of a request; `headers` may name the caller's (W3C Trace Context). */
  beginRequest(request: TracedRequest): RequestSpan;
  /** Runs a job within a span of its own. */
  job<Outcome>(id: string, work: () => Promise<Outcome>): Promise<Outcome>;
  /** The stores, each call of which is a span below that of the request or job that it is made for; none without one. */
  stores(stores: StorePorts): StorePorts;
  /** The id of the trace that runs now, for log lines. */
  traceId(): string | null;
  /** Sends what is left, within seconds. */
  close(): Promise<void>;
}

export interface TracedRequest {
  readonly method: string;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface RequestSpan {
  readonly traceId: string;
  /** What the work does belongs to the span. */
  run<Outcome>(work: () => Outcome): Outcome;
  end(request: EndedRequest): void;
}

export interface EndedRequest {
  /** The path template; never the path itself. Null for an unknown path. */
  readonly route: string | null;
  readonly status: number;
  readonly requestId: string;
}

/** The OpenTelemetry SDK is loaded only if traces are configured. */
export const openTracing = async (config: Config, serviceName: string, logger: Logger): Promise<Tracing | null> => {
  if (!config.traces) return null;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing({ ...config.traces, serviceName }, config.database.kind, logger);
};
