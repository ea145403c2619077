import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { openInstallation } from './provide-installation.ts';
import { startTraceCollector } from './trace-collector.ts';

const openWithLog = async (variables: Readonly<Record<string, string>>) => {
  const installation = await openInstallation(variables);
  const readLog = () => readFileSync(join(installation.folder, 'service.log'), 'utf8').trim().split('\n');
  return { ...installation, readLog: () => readLog().map((line) => JSON.parse(line) as Record<string, unknown>) };
};

const startCollector = async (port?: number) => {
  const collector = await startTraceCollector(port);
  onTestFinished(() => collector.close());
  return collector;
};

const documentOf = (title: string) => ({
  openapi: '3.0.3',
  info: { title, version: '1' },
  paths: { '/forecast': { get: { responses: { 200: { description: 'It' } } } } },
});

test("a request is a span in its caller's trace, and its statements are child spans", async () => {
  const collector = await startCollector();
  const { start, api, createAdminToken, readLog } = await openWithLog({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    SERVICE_NAME: 'catalog',
  });
  await start();
  const caller = (await createAdminToken()) as { token: string };
  const body = { name: 'Weather', openapi_spec: documentOf('Weather') };
  const { id } = await api.request<{ id: string }>(caller, 'POST', '/api/collections/', body);
  const [traceId, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const { status } = await fetch(`${api.address}/api/collections/${id}?include=usage`, {
    headers: {
      authorization: `Bearer ${caller.token}`,
      traceparent: `00-${traceId}-${parent}-01`,
      'x-request-id': 'r-1',
    },
  });
  expect(status).toBe(200);
  const listSpansOfTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => listSpansOfTrace().some(({ kind }) => kind === 2)).toBe(true);
  const serverSpan = listSpansOfTrace().find(({ kind }) => kind === 2);
  expect(serverSpan).toMatchObject({
    ...{ service: 'catalog', name: 'GET /api/collections/:collection_id', parentSpanId: parent, status: 0 },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/collections/:collection_id',
      'http.response.status_code': 200,
      'network.protocol.version': '1.1',
      'portico.request_id': 'r-1',
    },
  });
  const statements = listSpansOfTrace().filter(({ kind }) => kind === 3);
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['callers.findByUid', 'collections.findDocument']),
  );
  for (const { parentSpanId, attributes } of statements)
    expect([parentSpanId, attributes['db.system.name']]).toEqual([serverSpan?.spanId, 'sqlite']);
  expect([...collector.paths]).toEqual(['POST /v1/traces application/x-protobuf']);
  await expect
    .poll(() => readLog().find((line) => line['request_id'] === 'r-1'))
    .toMatchObject({ msg: 'request', trace_id: traceId });
  // Each job of the new collection is a separate trace.
  await expect
    .poll(() => collector.spans.filter(({ kind }) => kind === 5).map(({ name }) => name))
    .toEqual(expect.arrayContaining(['job embed', 'job operations']));
  const job = collector.spans.find(({ name }) => name === 'job embed');
  expect([job?.parentSpanId, job?.attributes['portico.job.kind']]).toEqual(['', 'embed']);
  expect(collector.spans.some((span) => span.parentSpanId === job?.spanId && span.name === 'outbox.complete')).toBe(
    true,
  );
  // Spans contain no path, query or credential, and no statement is traced outside a request or job.
  expect(JSON.stringify(collector.spans)).not.toMatch(new RegExp(`${id}|include=usage|eyJ|Weather`));
  expect(collector.spans.filter(({ kind, parentSpanId }) => kind === 3 && parentSpanId === '')).toEqual([]);
});

test('the span of an error has its status, and an unknown path is not recorded', async () => {
  const collector = await startCollector();
  const { start, api } = await openWithLog({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/here`,
    OTEL_SERVICE_NAME: 'named',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  await start();
  await fetch(`${api.address}/secret-path?token=hunter2`);
  await expect
    .poll(() => collector.spans.map(({ attributes }) => attributes['http.response.status_code']))
    .toContain(404);
  const span = collector.spans.find(({ attributes }) => attributes['http.response.status_code'] === 404);
  expect(span).toMatchObject({ name: 'GET', service: 'named' });
  expect(span?.attributes).not.toHaveProperty('http.route');
  expect(JSON.stringify(collector.spans)).not.toMatch(/secret-path|hunter2/);
  expect([...collector.paths]).toEqual(['POST /here application/x-protobuf']);
});

test('pending spans are sent when the service stops', async () => {
  const collector = await startCollector();
  const { start, api } = await openWithLog({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  const service = await start();
  await fetch(`${api.address}/health`);
  expect(collector.spans).toEqual([]);
  await service.stop();
  expect(collector.spans.map(({ name }) => name)).toContain('GET /health');
});

test('an unavailable collector is logged once, and does not affect the service', async () => {
  const port = await findFreePort();
  const { start, api, readLog } = await openWithLog({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const service = await start();
  const countMessages = (message: string) => readLog().filter(({ msg }) => msg === message).length;
  const unavailableMessage = 'The OpenTelemetry collector is unavailable: traces are lost until it is available again';
  const call = async () => expect((await fetch(`${api.address}/health`)).status).toBe(200);
  await expect.poll(async () => (await call(), countMessages(unavailableMessage))).toBe(1);
  for (let calls = 0; calls < 20; calls++) await call();
  const collector = await startCollector(port);
  await expect
    .poll(async () => (await call(), countMessages('The OpenTelemetry collector is available again')))
    .toBe(1);
  expect(collector.spans.length).toBeGreaterThan(0);
  expect(countMessages(unavailableMessage)).toBe(1);
  expect(readLog().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  collector.close();
  await service.stop();
  expect(await service.exitCode).toBe(0);
});

const sdk = /@opentelemetry\/(sdk-trace|exporter|otlp|resources|core)/;

test.each([
  ['off by default', {}, false],
  ['off if it is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'TRUE' }, false],
  [
    'off without an exporter',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' },
    false,
  ],
  ['on if an endpoint is set', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
] as const)('the SDK is loaded only if it is needed: %s', async (_name, variables, isLoaded) => {
  const recorder = await openInstallation();
  const [hooksFile, listFile] = [join(recorder.folder, 'loaded.mjs'), join(recorder.folder, 'loaded.txt')];
  // Records every module that is loaded by import or require.
  writeFileSync(
    hooksFile,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(listFile)}, url + '\\n'), next(url, context)) });`,
  );
  const { start, api } = await openWithLog({ NODE_OPTIONS: `--import=file://${hooksFile}`, ...variables });
  const service = await start();
  expect((await fetch(`${api.address}/ready`)).status).toBe(200);
  await service.stop();
  const loadedUrls = readFileSync(listFile, 'utf8').split('\n');
  expect(loadedUrls.some((url) => url.endsWith('/apps/http/src/main.ts'))).toBe(true);
  expect(loadedUrls.some((url) => sdk.test(url))).toBe(isLoaded);
});

test('a call of an API is a child span with its method and status, and nothing else of the call', async () => {
  const received: string[] = [];
  const upstream = createServer((request, response) => {
    received.push(JSON.stringify(request.headers));
    response.writeHead(409, { 'X-Request-Id': 'upstream-1' }).end('upstream-body');
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  onTestFinished(() => void upstream.close());
  const collector = await startCollector();
  const { start, api, createAdminToken } = await openWithLog({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    CALLS: 'on',
    CALL_NETWORKS: '127.0.0.0/8',
  });
  await start();
  const admin = await createAdminToken();
  const openapi_spec = {
    ...documentOf('Weather'),
    servers: [{ url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/upstream-path` }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  };
  const { id } = await api.request<{ id: string }>(admin, 'POST', '/api/collections/', {
    name: 'Weather',
    openapi_spec,
  });
  await api.request(admin, 'PUT', `/api/collections/${id}/credentials/key`, { value: 'upstream-secret' });
  const [operation] = await api.request<{ operation_key: string }[]>(admin, 'GET', `/api/collections/${id}/operations`);
  const path = `/api/collections/${id}/operations/${operation?.operation_key}/call`;
  expect((await api.call(admin, 'POST', path, { arguments: {} })).body).toMatchObject({ status: 409 });
  const findRequestSpan = () => collector.spans.find(({ name }) => name.endsWith('/call'));
  await expect.poll(findRequestSpan).toBeDefined();
  const span = collector.spans.find(({ kind, name }) => kind === 3 && name === 'GET');
  expect(span).toMatchObject({ parentSpanId: findRequestSpan()?.spanId, traceId: findRequestSpan()?.traceId });
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 409,
    'error.type': '409',
  });
  expect(JSON.stringify(collector.spans)).not.toMatch(/upstream|X-Key|127\.0\.0\.1/i);
  expect(received).toEqual([expect.not.stringContaining('traceparent')]);
});
