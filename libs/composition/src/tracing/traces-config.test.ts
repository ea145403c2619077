import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { samplerOf } from './sampler.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

test('traces are recorded only if a collector is configured and no variable turns them off', () => {
  expect(readConfig({}).traces).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'True' }).traces).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).traces).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'no' }).traces?.url).toBe('http://127.0.0.1:4318/v1/traces');
  const tracesEndpoint = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example.com/in' };
  expect(readConfig(tracesEndpoint).traces?.url).toBe('https://collector.example.com/in');
});

test('an unsupported protocol is rejected, unless no traces are recorded', () => {
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  expect(() => readConfig({ ...endpoint, ...grpc })).toThrow('Portico sends traces over http/protobuf only');
  expect(readConfig(grpc).traces).toBeNull();
  expect(readConfig({ ...endpoint, ...grpc, OTEL_SDK_DISABLED: 'true' }).traces).toBeNull();
  expect(
    readConfig({ ...endpoint, ...grpc, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }).traces,
  ).not.toBeNull();
});

test.each([
  ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'a number from 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1', 'a number from 0 to 1'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'one of always_on'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'http://… or https://…'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0', 'a whole number from 1 to 600000'],
])('%s=%s is rejected', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(message);
});

test('a password in the URL of a collector is not repeated', () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://me:hunter2@collector.example.com' };
  expect(() => readConfig(variables)).toThrow('read a value of ');
  expect(() => readConfig(variables)).not.toThrow('hunter2');
});

test.each([
  ['always_on', 0, [true, true, true]],
  ['always_off', 1, [false, false, false]],
  ['traceidratio', 0, [false, false, false]],
  ['traceidratio', 1, [true, true, true]],
  ['parentbased_always_on', 0, [true, true, false]],
  ['parentbased_always_off', 1, [false, true, false]],
  ['parentbased_traceidratio', 0, [false, true, false]],
  ['parentbased_traceidratio', 1, [true, true, false]],
] as const)('%s with %d decides independently, or follows the decision of the caller', (name, ratio, decisions) => {
  const sampler = samplerOf({ name, ratio });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const createCaller = (traceFlags: number) =>
    trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'b7ad6b7169203331', traceFlags, isRemote: true });
  const callers = [ROOT_CONTEXT, createCaller(TraceFlags.SAMPLED), createCaller(TraceFlags.NONE)];
  const actualDecisions = callers.map(
    (caller) => sampler.shouldSample(caller, traceId, 'GET', SpanKind.SERVER, {}, []).decision,
  );
  expect(actualDecisions.map((decision) => decision === SamplingDecision.RECORD_AND_SAMPLED)).toEqual(decisions);
});
