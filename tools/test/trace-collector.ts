import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

/** A span that the collector has received, in a form that is easy to check. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The parent's id; `''` for a root span. */
  readonly parentSpanId: string;
  /** The kind, as in the protocol: 2 for a server's span, 3 for a client's, 5 for a consumer's. */
  readonly kind: number;
  /** The status code; 2 is an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The part of opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports that the tests need. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; double double_value = 4; } }
`);
const Request = root.lookupType('Request');

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
}
interface DecodedRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}
interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}

/** Starts an OpenTelemetry collector that accepts OTLP over HTTP at 127.0.0.1, by default on any free port. */
export const startTraceCollector = async (port = 0) => {
  const spans: CollectedSpan[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`);
      spans.push(...spansIn(Buffer.concat(chunks)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly CollectedSpan[],
    paths: paths as ReadonlySet<string>,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const spansIn = (bytes: Buffer): readonly CollectedSpan[] => {
  const request = Request.toObject(Request.decode(bytes), {
    bytes: String,
    longs: Number,
    defaults: false,
  }) as DecodedRequest;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes = [], status }) => ({
        service: String(recordOf(resource.attributes)['service.name']),
        name,
        kind,
        traceId: hexOf(traceId),
        spanId: hexOf(spanId),
        parentSpanId: hexOf(parentSpanId),
        status: status?.code ?? 0,
        attributes: recordOf(attributes),
      })),
    ),
  );
};

const hexOf = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex');

const recordOf = (attributes: readonly KeyValue[]): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? '']),
  );
