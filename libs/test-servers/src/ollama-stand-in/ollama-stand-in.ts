import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { LoopbackServer } from '../loopback-server.ts';
import { sleep } from '../real-time.ts';
import type { ServerControl } from '../server-process.ts';
import { embedAnswer, refusal, type Answer, type Json } from './embed-answer.ts';
import { isValidName, listedName } from './model-name.ts';
import { ModelRunner } from './model-runner.ts';
import { pullLines, stalledLineMs, type PullFault } from './pull-lines.ts';
import { nomicStandIn, type StandInModel } from './stand-in-model.ts';

/**
 * How `POST /api/embed` fails: it never answers (`hang`), the connection breaks before the answer (`reset`) or within
 * it (`resetMidway`), the answer is not JSON (`garbage`, `nan`) or is a page (`html`), the vectors are not the
 * requested ones, it is `busy`, its runner does not start (`failure`) or dies during the request (`runnerGone`), or it
 * is slow.
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
  | { readonly slowMs: number };

export type { PullFault };

export interface OllamaServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface OllamaRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Empty if the body was not JSON. */
  readonly body: Json;
}

export interface OllamaStandInOptions {
  /** The models it has; `nomic-embed-text` by default. */
  readonly models?: readonly StandInModel[];
  /** The models it could pull; `nomic-embed-text` by default. */
  readonly registry?: readonly StandInModel[];
}

/** The Ollama server of `OLLAMA_URL`; null if none is set. */
export const startOllama = async (): Promise<OllamaServer | null> => {
  const url = process.env.OLLAMA_URL;
  return url ? { url: url.replace(/\/$/, ''), close: async () => undefined } : null;
};

/** A server that answers as Ollama does, as far as Portico uses it, with made-up models, and with faults on demand. */
export const startOllamaStandIn = async (options: OllamaStandInOptions = {}): Promise<OllamaStandIn> => {
  const standIn = new OllamaStandIn(options);
  await standIn.listen();
  return standIn;
};

export class OllamaStandIn implements OllamaServer {
  /** Every request so far, in order. */
  readonly requests: OllamaRequest[] = [];
  /** The largest number of embed requests that were under way at once. */
  mostAtOnce = 0;
  /** The embed requests that are under way. */
  underWay = 0;
  /** How long each step of a pull takes. */
  pullStepMs = 1;
  pullFault: PullFault | null = null;
  /** Loads the models and processes their texts; by default neither takes time. */
  readonly runner = new ModelRunner();
  #fault: OllamaFault | null = null;
  #faultsLeft = 0;
  #afterEmbed: (() => void) | null = null;
  #loopback: LoopbackServer | null = null;
  readonly #models = new Map<string, StandInModel>();
  readonly #registry = new Map<string, StandInModel>();

  constructor({ models = [nomicStandIn], registry = [nomicStandIn] }: OllamaStandInOptions) {
    for (const model of models) this.#models.set(model.name, model);
    for (const model of registry) this.#registry.set(model.name, model);
  }

  get url(): string {
    return `http://127.0.0.1:${this.control.port}`;
  }

  /** Stops, starts (on the same port), pauses and resumes it. */
  get control(): ServerControl & { readonly port: number } {
    if (!this.#loopback) throw new Error('The stand-in is not listening');
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

  /** Makes the next `times` embed requests fail like this; null ends it. */
  setFault(fault: OllamaFault | null, times = Number.POSITIVE_INFINITY): void {
    this.#fault = fault;
    this.#faultsLeft = times;
  }

  /** Adds a model, or replaces the one with its name. */
  install(model: StandInModel): void {
    this.#models.set(model.name, model);
  }

  remove(name: string): void {
    this.#models.delete(name);
  }

  /** Runs `act` once, right after the next vectors are made and before they are sent. */
  afterNextEmbed(act: () => void): void {
    this.#afterEmbed = act;
  }

  /** The bodies of all requests to this path so far. */
  asked(path: string): readonly Json[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => body);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    await this.#loopback?.awake;
    const { method = '', url: path = '' } = request;
    const body = parsed(text);
    this.requests.push({ method, path, headers: request.headers, body: 'value' in body ? body.value : {} });
    const known = routes[path];
    if (!known) return plain(response, 404, '404 page not found');
    if (!known.includes(method)) return plain(response, 405, '405 method not allowed');
    if (path === '/') return plain(response, 200, 'Ollama is running');
    if (path === '/api/version') return json(response, { status: 200, body: { version: '0.33.0-rc2' } });
    if (path === '/api/tags') return json(response, { status: 200, body: { models: this.#described() } });
    if (text === '') return json(response, refusal(400, 'missing request body'));
    if ('error' in body) return json(response, refusal(400, body.error));
    if (path === '/api/show') return json(response, this.#show(body.value));
    if (path === '/api/pull') return this.#pull(body.value, response);
    return this.#embed(body.value, response);
  }

  async #embed(request: Json, response: ServerResponse): Promise<void> {
    this.underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
    response.once('close', () => (this.underWay -= 1));
    const fault = this.#faultsLeft > 0 ? this.#fault : null;
    this.#faultsLeft -= 1;
    if (typeof fault === 'object' && fault) await setTimeout(fault.slowMs);
    const answer = embedAnswer(request, (name) => this.#find(name));
    if (answer.status === 200) await this.#run(answer, response);
    if (fault === 'failure' || fault === 'runnerGone' || request.keep_alive === 0) this.runner.unload();
    if (Array.isArray(request.input) && request.input.length > 0) {
      const act = this.#afterEmbed;
      this.#afterEmbed = null;
      act?.();
    }
    if (typeof fault === 'string') spoil(fault, answer, response);
    else json(response, answer);
  }

  /** A request without a text loads the model, and does not wait for a turn. */
  async #run({ body }: Answer, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    if (response.destroyed) left.abort();
    else response.once('close', () => left.abort());
    await this.runner.load(left.signal);
    const { prompt_eval_count: tokens, embeddings } = body as { prompt_eval_count: number; embeddings: unknown[] };
    if (embeddings.length > 0) await this.runner.work(tokens);
  }

  #find(name: unknown): StandInModel | Answer {
    if (typeof name !== 'string' || name === '') return refusal(404, "model '' not found");
    if (!isValidName(name)) return refusal(400, 'invalid model name');
    const model = this.#models.get(listedName(name));
    return model ?? refusal(404, `model "${name}" not found, try pulling it first`);
  }

  #show(request: Json): Answer {
    const name = listedName(namedIn(request));
    const model = this.#models.get(name);
    if (!model) return refusal(404, `model '${name}' not found`);
    return { status: 200, body: { details: detailsOf(model), capabilities: ['embedding'] } };
  }

  #described(): readonly unknown[] {
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
    const name = namedIn(request);
    if (!isValidName(name)) return json(response, refusal(400, 'invalid model name'));
    if (this.pullFault === 'html') return page(response);
    const found = this.pullFault === 'unknown' ? undefined : this.#registry.get(listedName(name));
    const lines = pullLines(found, this.pullFault);
    const failure = lines.find((line) => 'error' in line);
    const brought = this.pullFault === 'vain' ? undefined : found;
    if (request.stream === false) {
      if (brought && !failure) this.install(brought);
      return json(response, failure ? { status: 500, body: failure } : { status: 200, body: { status: 'success' } });
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const [step, line] of lines.entries()) {
      await sleep(this.pullStepMs);
      if (step === 3 && this.pullFault === 'hang') return;
      if (step === 3 && this.pullFault === 'stall') return this.#stall(lines[2] ?? {}, response);
      if (step === 3 && this.pullFault === 'reset') return void response.destroy();
      if ('status' in line && line.status === 'success' && brought) this.install(brought);
      response.write(`${JSON.stringify(line)}\n`);
    }
    response.end();
  }

  async #stall(line: Json, response: ServerResponse): Promise<void> {
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

/** Both fields are accepted. */
const namedIn = ({ model, name }: Json): string => {
  const named = model ?? name;
  return typeof named === 'string' ? named : '';
};

const detailsOf = ({ dimension, contextLength }: StandInModel) => ({
  format: 'gguf',
  family: 'nomic-bert',
  context_length: contextLength,
  embedding_length: dimension,
});

const spoil = (fault: Exclude<OllamaFault, object>, answer: Answer, response: ServerResponse): void => {
  if (fault === 'hang') return;
  if (fault === 'reset') return void response.destroy();
  if (fault === 'html') return page(response);
  if (fault === 'garbage') return raw(response, '\u0000\u0001{"embeddings"');
  if (fault === 'busy') {
    const said = 'server busy, please try again.  maximum pending requests exceeded';
    return json(response, refusal(503, said));
  }
  if (fault === 'failure') return json(response, refusal(500, 'llama-server process has terminated: signal: killed'));
  // If a runner gives no status, the server answers 400, although the request is valid.
  if (fault === 'runnerGone') {
    return json(response, refusal(400, 'do embedding request: Post "http://127.0.0.1:40123/v1/embeddings": EOF'));
  }
  const { embeddings = [], ...rest } = answer.body as { readonly embeddings?: readonly number[][] };
  if (fault === 'resetMidway') {
    response.writeHead(200, { 'content-type': jsonType, 'content-length': 100_000 });
    response.write('{"embeddings":[[0.1,');
    return void sleep(20).then(() => response.destroy());
  }
  const spoilt = fault === 'nan' ? embeddings : spoiltVectors[fault](embeddings);
  const text = JSON.stringify({ ...rest, embeddings: spoilt }).replaceAll('"infinite"', '1e999');
  raw(response, fault === 'nan' ? text.replace(/\[\[[^,]*/, '[[NaN') : text);
};

type VectorFault = 'infinite' | 'null' | 'zero' | 'shortVector' | 'empty' | 'twoVectors';

const spoiltVectors: Readonly<Record<VectorFault, (vectors: readonly number[][]) => unknown>> = {
  infinite: (vectors) => vectors.map((vector) => ['infinite', ...vector.slice(1)]),
  null: (vectors) => vectors.map((vector) => [null, ...vector.slice(1)]),
  zero: (vectors) => vectors.map((vector) => vector.map(() => 0)),
  shortVector: (vectors) => vectors.map((vector) => vector.slice(0, -1)),
  empty: () => [],
  twoVectors: (vectors) => vectors.flatMap((vector) => [vector, vector]),
};

const jsonType = 'application/json; charset=utf-8';

const json = (response: ServerResponse, { status, body }: Answer): void =>
  void response.writeHead(status, { 'content-type': jsonType }).end(JSON.stringify(body));
const raw = (response: ServerResponse, text: string): void =>
  void response.writeHead(200, { 'content-type': jsonType }).end(text);
const plain = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
const page = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>');

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): { readonly value: Json } | { readonly error: string } => {
  try {
    return { value: Object(JSON.parse(text || '{}')) as Json };
  } catch {
    return { error: `invalid character '${text.slice(0, 1)}' looking for beginning of value` };
  }
};
