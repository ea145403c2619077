import type { Egress, StorePorts } from '@portico/domain';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/**
 * Records the work of this process as spans (OpenTelemetry). Exists only if traces are configured, so that it otherwise
 * costs nothing: callers check whether it exists.
 */
export interface Tracing {
  /** Begins the span of a request; `headers` may contain the caller's span (W3C Trace Context). */
  beginRequest(request: TracedRequest): RequestSpan;
  /** Runs a job within its own span. */
  runJob<Outcome>(id: string, work: () => Promise<Outcome>): Promise<Outcome>;
  /**
   * Wraps the stores: each call is a child span of the current request or job. Outside of both, no span is recorded.
   */
  traceStores(ports: StorePorts): StorePorts;
  /**
   * Wraps the way out to APIs: each request is a child span of the current request, with its method and status alone. The
   * API does not receive the trace.
   */
  traceEgress(egress: Egress): Egress;
  /** The id of the current trace, for log lines. */
  getTraceId(): string | null;
  /** Sends the remaining spans, within seconds. */
  close(): Promise<void>;
}

export interface TracedRequest {
  readonly method: string;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface RequestSpan {
  readonly traceId: string;
  /** Runs the work as part of the span. */
  run<Outcome>(work: () => Outcome): Outcome;
  end(request: EndedRequest): void;
}

export interface EndedRequest {
  /** The path template, never the path itself; null for an unknown path. */
  readonly route: string | null;
  readonly status: number;
  readonly requestId: string;
}

/** Loads the OpenTelemetry SDK only if traces are configured. */
export const openTracing = async (config: Config, serviceName: string, logger: Logger): Promise<Tracing | null> => {
  if (!config.traces) return null;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing({ ...config.traces, serviceName }, config.database.kind, logger);
};
