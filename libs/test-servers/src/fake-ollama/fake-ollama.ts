import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { LoopbackServer } from '../loopback-server.ts';
import { sleep } from '../real-time.ts';
import type { ServerControl } from '../server-process.ts';
import { createEmbedResponse, createErrorResponse, type JsonResponse, type Json } from './embed-response.ts';
import { isValidName, toListedName } from './model-name.ts';
import { ModelRunner } from './model-runner.ts';
import { createPullLines, stalledLineMs, type PullFault } from './pull-lines.ts';
import { fakeNomic, type FakeModel } from './fake-model.ts';

/**
 * How `POST /api/embed` fails: the server never responds (`hang`), the connection breaks before the response (`reset`)
 * or in the middle of it (`resetMidway`), the response is not JSON (`garbage`, `nan`) or is an HTML page (`html`), the
 * vectors are wrong, the server is `busy`, its runner does not start (`failure`) or dies during the
 * request (`runnerGone`), or the response is slow.
 */
export type OllamaFault =
  | 'hang'
  | 'reset'
  | 'resetMidway'
  | 'garbage'
  | 'html'
  | 'nan'
  | 'infinite'
  | 'null'
  | 'zero'
  | 'shortVector'
  | 'empty'
  | 'twoVectors'
  | 'busy'
  | 'failure'
  | 'runnerGone'
  | { readonly delayMs: number };

export type { PullFault };

export interface OllamaServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface OllamaRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body; empty if it is not JSON. */
  readonly body: Json;
}

export interface FakeOllamaOptions {
  /** The installed models; `nomic-embed-text` by default. */
  readonly models?: readonly FakeModel[];
  /** The models that the server can pull; `nomic-embed-text` by default. */
  readonly registry?: readonly FakeModel[];
}

/** Returns the Ollama server at `OLLAMA_URL`, or null if that variable is not set. */
export const connectToOllama = async (): Promise<OllamaServer | null> => {
  const url = process.env.OLLAMA_URL;
  return url ? { url: url.replace(/\/$/, ''), close: async () => undefined } : null;
};

/**
 * Starts a server that implements the part of Ollama's API that Portico uses, with made-up models and faults on demand.
 */
export const startFakeOllama = async (options: FakeOllamaOptions = {}): Promise<FakeOllama> => {
  const fake = new FakeOllama(options);
  await fake.listen();
  return fake;
};

export class FakeOllama implements OllamaServer {
  /** All requests so far, in order. */
  readonly requests: OllamaRequest[] = [];
  /** The largest number of concurrent embed requests so far. */
  maxConcurrent = 0;
  /** The number of embed requests in flight. */
  inFlight = 0;
  /** The duration of each step of a pull. */
  pullStepMs = 1;
  pullFault: PullFault | null = null;
  /** Loads models and processes the input texts. By default, neither takes any time. */
  readonly runner = new ModelRunner();
  #fault: OllamaFault | null = null;
  #remainingFaults = 0;
  #embedCallback: (() => void) | null = null;
  #loopback: LoopbackServer | null = null;
  readonly #models = new Map<string, FakeModel>();
  readonly #registry = new Map<string, FakeModel>();

  constructor({ models = [fakeNomic], registry = [fakeNomic] }: FakeOllamaOptions) {
    for (const model of models) this.#models.set(model.name, model);
    for (const model of registry) this.#registry.set(model.name, model);
  }

  get url(): string {
    return `http://127.0.0.1:${this.control.port}`;
  }

  /** Stops, starts (on the same port), pauses and resumes the server. */
  get control(): ServerControl & { readonly port: number } {
    if (!this.#loopback) throw new Error('The fake is not listening');
    return this.#loopback;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#loopback = await LoopbackServer.start(server);
  }

  async close(): Promise<void> {
    await this.#loopback?.stop();
  }

  /** Makes the next `count` embed requests fail with this fault. Null removes the fault. */
  setFault(fault: OllamaFault | null, count = Number.POSITIVE_INFINITY): void {
    this.#fault = fault;
    this.#remainingFaults = count;
  }

  /** Adds a model, or replaces the one with the same name. */
  install(model: FakeModel): void {
    this.#models.set(model.name, model);
  }

  remove(name: string): void {
    this.#models.delete(name);
  }

  /** Runs `callback` once, after the next vectors are computed and before they are sent. */
  runAfterNextEmbed(callback: () => void): void {
    this.#embedCallback = callback;
  }

  /** Returns the bodies of all requests to this path so far. */
  requestsTo(path: string): readonly Json[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => body);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    await this.#loopback?.resumed;
    const { method = '', url: path = '' } = request;
    const body = parseBody(text);
    this.requests.push({ method, path, headers: request.headers, body: 'value' in body ? body.value : {} });
    const methods = routes[path];
    if (!methods) return sendPlain(response, 404, '404 page not found');
    if (!methods.includes(method)) return sendPlain(response, 405, '405 method not allowed');
    if (path === '/') return sendPlain(response, 200, 'Ollama is running');
    if (path === '/api/version') return sendJson(response, { status: 200, body: { version: '0.33.0-rc2' } });
    if (path === '/api/tags') return sendJson(response, { status: 200, body: { models: this.#listModels() } });
    if (text === '') return sendJson(response, createErrorResponse(400, 'missing request body'));
    if ('error' in body) return sendJson(response, createErrorResponse(400, body.error));
    if (path === '/api/show') return sendJson(response, this.#show(body.value));
    if (path === '/api/pull') return this.#pull(body.value, response);
    return this.#embed(body.value, response);
  }

  async #embed(request: Json, response: ServerResponse): Promise<void> {
    this.inFlight += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.inFlight);
    response.once('close', () => (this.inFlight -= 1));
    const fault = this.#remainingFaults > 0 ? this.#fault : null;
    this.#remainingFaults -= 1;
    if (typeof fault === 'object' && fault) await setTimeout(fault.delayMs);
    const result = createEmbedResponse(request, (name) => this.#findModel(name));
    if (result.status === 200) await this.#run(result, response);
    if (fault === 'failure' || fault === 'runnerGone' || request.keep_alive === 0) this.runner.unload();
    if (Array.isArray(request.input) && request.input.length > 0) {
      const callback = this.#embedCallback;
      this.#embedCallback = null;
      callback?.();
    }
    if (typeof fault === 'string') sendFaultyResponse(fault, result, response);
    else sendJson(response, result);
  }

  /**
   * Loads the model and processes the texts. A request without a text loads the model, but does not wait in the queue.
   */
  async #run({ body }: JsonResponse, response: ServerResponse): Promise<void> {
    const abortController = new AbortController();
    if (response.destroyed) abortController.abort();
    else response.once('close', () => abortController.abort());
    await this.runner.load(abortController.signal);
    const { prompt_eval_count: tokens, embeddings } = body as { prompt_eval_count: number; embeddings: unknown[] };
    if (embeddings.length > 0) await this.runner.process(tokens);
  }

  #findModel(name: unknown): FakeModel | JsonResponse {
    if (typeof name !== 'string' || name === '') return createErrorResponse(404, "model '' not found");
    if (!isValidName(name)) return createErrorResponse(400, 'invalid model name');
    const model = this.#models.get(toListedName(name));
    return model ?? createErrorResponse(404, `model "${name}" not found, try pulling it first`);
  }

  #show(request: Json): JsonResponse {
    const name = toListedName(requestedNameOf(request));
    const model = this.#models.get(name);
    if (!model) return createErrorResponse(404, `model '${name}' not found`);
    return { status: 200, body: { details: detailsOf(model), capabilities: ['embedding'] } };
  }

  #listModels(): readonly unknown[] {
    return [...this.#models.values()].map((model) => ({
      name: model.name,
      model: model.name,
      modified_at: '2026-01-01T00:00:00Z',
      size: 274_302_450,
      digest: model.digest,
      details: detailsOf(model),
    }));
  }

  async #pull(request: Json, response: ServerResponse): Promise<void> {
    const name = requestedNameOf(request);
    if (!isValidName(name)) return sendJson(response, createErrorResponse(400, 'invalid model name'));
    if (this.pullFault === 'html') return sendPage(response);
    const model = this.pullFault === 'unknown' ? undefined : this.#registry.get(toListedName(name));
    const lines = createPullLines(model, this.pullFault);
    const failure = lines.find((line) => 'error' in line);
    const pulledModel = this.pullFault === 'not installed' ? undefined : model;
    if (request.stream === false) {
      if (pulledModel && !failure) this.install(pulledModel);
      return sendJson(
        response,
        failure ? { status: 500, body: failure } : { status: 200, body: { status: 'success' } },
      );
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const [step, line] of lines.entries()) {
      await sleep(this.pullStepMs);
      if (step === 3 && this.pullFault === 'hang') return;
      if (step === 3 && this.pullFault === 'stall') return this.#sendStalledLines(lines[2] ?? {}, response);
      if (step === 3 && this.pullFault === 'reset') return void response.destroy();
      if ('status' in line && line.status === 'success' && pulledModel) this.install(pulledModel);
      response.write(`${JSON.stringify(line)}\n`);
    }
    response.end();
  }

  async #sendStalledLines(line: Json, response: ServerResponse): Promise<void> {
    while (!response.destroyed && this.pullFault === 'stall') {
      response.write(`${JSON.stringify(line)}\n`);
      await sleep(stalledLineMs);
    }
    response.destroy();
  }
}

const routes: Readonly<Record<string, readonly string[]>> = {
  '/': ['GET', 'HEAD'],
  '/api/version': ['GET', 'HEAD'],
  '/api/tags': ['GET', 'HEAD'],
  '/api/show': ['POST'],
  '/api/pull': ['POST'],
  '/api/embed': ['POST'],
};

/** Returns the model's name from `model` or `name`. */
const requestedNameOf = ({ model, name }: Json): string => {
  const value = model ?? name;
  return typeof value === 'string' ? value : '';
};

const detailsOf = ({ dimension, contextLength }: FakeModel) => ({
  format: 'gguf',
  family: 'nomic-bert',
  context_length: contextLength,
  embedding_length: dimension,
});

const sendFaultyResponse = (
  fault: Exclude<OllamaFault, object>,
  result: JsonResponse,
  response: ServerResponse,
): void => {
  if (fault === 'hang') return;
  if (fault === 'reset') return void response.destroy();
  if (fault === 'html') return sendPage(response);
  if (fault === 'garbage') return sendRaw(response, '\u0000\u0001{"embeddings"');
  if (fault === 'busy') {
    const message = 'server busy, please try again.  maximum pending requests exceeded';
    return sendJson(response, createErrorResponse(503, message));
  }
  if (fault === 'failure')
    return sendJson(response, createErrorResponse(500, 'llama-server process has terminated: signal: killed'));
  // If a runner returns no status, the server returns 400, although the request is valid.
  if (fault === 'runnerGone') {
    return sendJson(
      response,
      createErrorResponse(400, 'do embedding request: Post "http://127.0.0.1:40123/v1/embeddings": EOF'),
    );
  }
  const { embeddings = [], ...rest } = result.body as { readonly embeddings?: readonly number[][] };
  if (fault === 'resetMidway') {
    response.writeHead(200, { 'content-type': jsonType, 'content-length': 100_000 });
    response.write('{"embeddings":[[0.1,');
    return void sleep(20).then(() => response.destroy());
  }
  const corruptEmbeddings = fault === 'nan' ? embeddings : vectorCorruptions[fault](embeddings);
  const text = JSON.stringify({ ...rest, embeddings: corruptEmbeddings }).replaceAll('"infinite"', '1e999');
  sendRaw(response, fault === 'nan' ? text.replace(/\[\[[^,]*/, '[[NaN') : text);
};

type VectorFault = 'infinite' | 'null' | 'zero' | 'shortVector' | 'empty' | 'twoVectors';

const vectorCorruptions: Readonly<Record<VectorFault, (vectors: readonly number[][]) => unknown>> = {
  infinite: (vectors) => vectors.map((vector) => ['infinite', ...vector.slice(1)]),
  null: (vectors) => vectors.map((vector) => [null, ...vector.slice(1)]),
  zero: (vectors) => vectors.map((vector) => vector.map(() => 0)),
  shortVector: (vectors) => vectors.map((vector) => vector.slice(0, -1)),
  empty: () => [],
  twoVectors: (vectors) => vectors.flatMap((vector) => [vector, vector]),
};

const jsonType = 'application/json; charset=utf-8';

const sendJson = (response: ServerResponse, { status, body }: JsonResponse): void =>
  void response.writeHead(status, { 'content-type': jsonType }).end(JSON.stringify(body));
const sendRaw = (response: ServerResponse, text: string): void =>
  void response.writeHead(200, { 'content-type': jsonType }).end(text);
const sendPlain = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
const sendPage = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>');

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const parseBody = (text: string): { readonly value: Json } | { readonly error: string } => {
  try {
    return { value: Object(JSON.parse(text || '{}')) as Json };
  } catch {
    return { error: `invalid character '${text.slice(0, 1)}' looking for beginning of value` };
  }
};
