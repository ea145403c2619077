import { AsyncLocalStorage } from 'node:async_hooks';
import { createOutage, rejectOnTimeout } from '@portico/dependencies';
import { isPorticoError } from '@portico/domain';
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import { samplerOf } from './sampler.ts';
import { createTracedStores } from './traced-stores.ts';
import type { Tracing } from './tracing.ts';

type Traces = NonNullable<Config['traces']> & { readonly serviceName: string };

/** The timeout of the last export, so that an unavailable collector does not delay the shutdown. */
const closeTimeoutMs = 3_000;

/** Sends spans to an OTLP collector over HTTP. Spans that cannot be sent are dropped. */
export const openOtlpTracing = (traces: Traces, database: string, logger: Logger): Tracing => {
  const attributes = { 'service.name': traces.serviceName, 'service.version': version };
  const resource = defaultResource()
    .merge(resourceFromAttributes(attributes))
    // Reads OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME.
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = logOutages(new OTLPTraceExporter({ url: traces.url }), traces.url, logger);
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(traces.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: traces.delayMs })],
  });
  logger.info({ collector: new URL(traces.url).origin }, 'Traces are sent to an OpenTelemetry collector');
  return createTracing(provider.getTracer('portico', version), database, () => provider.shutdown());
};

/**
 * Logs the start and the end of a collector outage once each. Hides failures from the processor, which would log each
 * one.
 */
const logOutages = (exporter: SpanExporter, url: string, logger: Logger): SpanExporter => {
  const outage = createOutage(logger, {
    recoveryMessage: 'The OpenTelemetry collector is available again',
    fields: { collector: new URL(url).origin },
  });
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) outage.end();
        else {
          const reason = error?.message ?? 'unknown';
          outage.start({
            message: 'The OpenTelemetry collector is unavailable: traces are lost until it is available again',
            fields: { reason },
          });
        }
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
};

/** Creates the tracing, which stores the current span with the asynchronous work that belongs to the span. */
const createTracing = (tracer: Tracer, database: string, shutDown: () => Promise<void>): Tracing => {
  const contextStorage = new AsyncLocalStorage<Context>();
  const propagator = new W3CTraceContextPropagator();
  const withSpan = (parent: Context, span: Span): Context => trace.setSpan(parent, span);
  return {
    beginRequest({ method, httpVersion, headers }) {
      const caller = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const knownMethod = knownMethods.has(method) ? method : null;
      const attributes: Attributes = {
        'http.request.method': knownMethod ?? '_OTHER',
        'url.scheme': 'http',
        'network.protocol.version': httpVersion,
      };
      const span = tracer.startSpan(knownMethod ?? 'HTTP', { kind: SpanKind.SERVER, attributes }, caller);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => contextStorage.run(withSpan(caller, span), work),
        end: ({ route, status, requestId }) => {
          if (route !== null) span.updateName(`${knownMethod ?? 'HTTP'} ${route}`).setAttribute('http.route', route);
          span.setAttributes({ 'http.response.status_code': status, 'portico.request_id': requestId });
          if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    runJob: (id, work) => {
      const attributes = { 'portico.job.id': id };
      const span = tracer.startSpan('job', { kind: SpanKind.CONSUMER, attributes }, ROOT_CONTEXT);
      return contextStorage.run(withSpan(ROOT_CONTEXT, span), () => runInSpan(span, work));
    },
    traceStores: (stores) =>
      createTracedStores(stores, {
        call: (operation, work) => {
          const parent = contextStorage.getStore();
          if (!parent) return work();
          const attributes = { 'db.system.name': database, 'db.operation.name': operation };
          const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, parent);
          return contextStorage.run(withSpan(parent, span), () => runInSpan(span, work));
        },
        recordJobKind: (kind) => {
          const span = trace.getSpan(contextStorage.getStore() ?? ROOT_CONTEXT);
          span?.updateName(`job ${kind}`).setAttribute('portico.job.kind', kind);
        },
      }),
    traceEgress: (egress) => ({
      send: (request, options) => {
        const parent = contextStorage.getStore();
        if (!parent) return egress.send(request, options);
        const method = knownMethods.has(request.method) ? request.method : null;
        const attributes = { 'http.request.method': method ?? '_OTHER' };
        const span = tracer.startSpan(method ?? 'HTTP', { kind: SpanKind.CLIENT, attributes }, parent);
        return runInSpan(span, async () => {
          const response = await egress.send(request, options);
          span.setAttribute('http.response.status_code', response.status);
          if (response.status >= 400)
            span.setAttribute('error.type', String(response.status)).setStatus({ code: SpanStatusCode.ERROR });
          return response;
        });
      },
    }),
    getTraceId: () => trace.getSpanContext(contextStorage.getStore() ?? ROOT_CONTEXT)?.traceId ?? null,
    close: () => rejectOnTimeout(closeTimeoutMs, shutDown()).catch(() => undefined),
  };
};

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/**
 * Ends the span when the work ends. Records the kind of an error, but never its message, which may quote private data.
 */
const runInSpan = async <Outcome>(span: Span, work: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await work();
  } catch (error) {
    if (isPorticoError(error)) span.setAttribute('error.type', error.code);
    else span.setAttribute('error.type', (error as Error).name).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
};
