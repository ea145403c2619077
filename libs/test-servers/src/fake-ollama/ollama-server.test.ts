import { afterAll, describe, expect, test } from 'vitest';
import { connectToOllama, startFakeOllama, type OllamaServer } from './fake-ollama.ts';

/**
 * The behaviour of an Ollama server, one test per fact. The fake is always tested. If `OLLAMA_URL` is set, the real
 * server at that address is also tested; it must have pulled `nomic-embed-text`.
 */
const model = 'nomic-embed-text';

interface TestResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: {
    readonly error?: string;
    readonly embeddings?: readonly (readonly number[])[];
    readonly prompt_eval_count?: number;
  };
}

const testServer = (server: OllamaServer): void => {
  const send = async (path: string, init: RequestInit = {}): Promise<TestResponse> => {
    const response = await fetch(`${server.url}${path}`, init);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const body = type.startsWith('application/json') ? (JSON.parse(text) as TestResponse['body']) : {};
    return { status: response.status, type, text, body };
  };
  const post = (path: string, body: unknown): Promise<TestResponse> =>
    send(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  const embed = (body: object): Promise<TestResponse> => post('/api/embed', { model, ...body });
  const embedOne = async (input: string): Promise<readonly number[]> =>
    (await embed({ input })).body.embeddings?.[0] ?? [];

  test('a vector has 768 dimensions and unit length', async () => {
    const vector = await embedOne('rain and wind');
    expect(vector).toHaveLength(768);
    expect(dot(vector, vector)).toBeCloseTo(1, 4);
  });

  test('vectors are in the order of the texts, and each is the same as for the text alone', async () => {
    const { body } = await embed({ input: ['rain', 'credit cards', 'rain'] });
    expect(body.embeddings).toHaveLength(3);
    for (const [index, text] of ['rain', 'credit cards', 'rain'].entries()) {
      expect(dot(body.embeddings?.[index] ?? [], await embedOne(text))).toBeCloseTo(1, 4);
    }
  });

  test('no prefix is added: a prefix in the request counts as tokens and changes the vector', async () => {
    const plainResponse = await embed({ input: 'rain' });
    const prefixedResponse = await embed({ input: 'search_query: rain' });
    expect(prefixedResponse.body.prompt_eval_count).toBeGreaterThan(plainResponse.body.prompt_eval_count ?? Infinity);
    expect(prefixedResponse.body.embeddings).not.toEqual(plainResponse.body.embeddings);
  });

  test('a vector with fewer dimensions has unit length, and requesting too many dimensions returns all of them', async () => {
    const [shortVector = []] = (await embed({ input: 'rain', dimensions: 256 })).body.embeddings ?? [];
    expect(shortVector).toHaveLength(256);
    expect(dot(shortVector, shortVector)).toBeCloseTo(1, 4);
    for (const dimensions of [1024, -1]) {
      expect((await embed({ input: 'rain', dimensions })).body.embeddings?.[0]).toHaveLength(768);
    }
    const rejection = await embed({ input: 'rain', dimensions: '768' });
    expect(rejection.status).toBe(400);
    expect(rejection.body.error).toContain('json: cannot unmarshal string');
  });

  const tooLongText = 'rain '.repeat(3000);
  test('a text that is too long is silently truncated to 2,048 tokens', async () => {
    for (const body of [{ input: tooLongText }, { input: tooLongText, truncate: true }]) {
      const { status, body: responseBody } = await embed(body);
      expect(status).toBe(200);
      expect(responseBody.prompt_eval_count).toBe(2048);
    }
  });

  test('with truncate: false, one text that is too long fails the whole batch', async () => {
    const { status, body } = await embed({ input: ['rain', tooLongText], truncate: false });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'the input length exceeds the context length' });
  });

  test.each([{}, { input: null }, { input: [] }, { input: '' }])('%j returns no vector', async (body) => {
    const response = await embed(body);
    expect(response.status).toBe(200);
    expect(response.body.embeddings).toEqual([]);
  });

  test.each([{ input: [''] }, { input: ['   '] }, { input: ['\u0000'] }, { input: ['\ud800'] }, { input: ['🙂'] }])(
    '%j has a vector',
    async (body) => {
      const response = await embed(body);
      expect(response.status).toBe(200);
      expect(response.body.embeddings?.[0]).toHaveLength(768);
    },
  );

  test('a blank text has two tokens', async () => {
    expect((await embed({ input: ['   '] })).body.prompt_eval_count).toBe(2);
  });

  test.each([{ input: [1] }, { input: 5 }, { input: {} }])('%j is rejected', async (body) => {
    const response = await embed(body);
    expect([response.status, response.body.error]).toEqual([400, 'invalid input type']);
  });

  test.each([
    ['nope', 404, 'model "nope" not found, try pulling it first'],
    ['', 404, "model '' not found"],
    [undefined, 404, "model '' not found"],
    ['a b!', 400, 'invalid model name'],
  ])('the model %j returns %i', async (name, status, error) => {
    const response = await post('/api/embed', { model: name, input: 'rain' });
    expect([response.status, response.body.error]).toEqual([status, error]);
    expect(response.type).toContain('application/json');
  });

  test.each([
    `library/${model}`,
    `registry.ollama.ai/library/${model}`,
    `https://registry.ollama.ai/library/${model}:latest`,
  ])('%s is another name for the model', async (name) => {
    const { status, body } = await post('/api/embed', { model: name, input: 'rain' });
    expect(status).toBe(200);
    expect(dot(body.embeddings?.[0] ?? [], await embedOne('rain'))).toBeCloseTo(1, 4);
  });

  test('a body that is not JSON, or is missing, is rejected', async () => {
    expect((await post('/api/embed', '{nope')).status).toBe(400);
    const emptyResponse = await post('/api/embed', '');
    expect([emptyResponse.status, emptyResponse.body.error]).toEqual([400, 'missing request body']);
  });

  test.each(['300', '-1', 'bad', true])('keep_alive %j is rejected', async (keepAlive) => {
    expect((await embed({ input: 'rain', keep_alive: keepAlive })).status).toBe(400);
  });

  test.each([300, '5m', -1])('keep_alive %j is accepted', async (keepAlive) => {
    expect((await embed({ input: 'rain', keep_alive: keepAlive })).status).toBe(200);
  });

  test('an option of the wrong type returns 500', async () => {
    expect((await embed({ input: 'rain', options: { num_ctx: 'many' } })).status).toBe(500);
    expect((await embed({ input: 'rain', options: { num_thread: 'many' } })).status).toBe(500);
  });

  test('an unknown route returns 404 in plain text, and a wrong method 405', async () => {
    const unknownRouteResponse = await send('/api/nope');
    const wrongMethodResponse = await send('/api/embed');
    expect([unknownRouteResponse.status, wrongMethodResponse.status]).toEqual([404, 405]);
    expect([unknownRouteResponse.type, wrongMethodResponse.type].every((type) => type.startsWith('text/plain'))).toBe(
      true,
    );
  });

  test('it reports that it is running, and its version', async () => {
    expect((await send('/')).text).toBe('Ollama is running');
    expect((await send('/', { method: 'HEAD' })).status).toBe(200);
    expect((await send('/api/version')).body).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) as string });
  });

  test('its models are listed with tag and digest', async () => {
    const { models } = (await send('/api/tags')).body as { models?: readonly { name: string; digest: string }[] };
    const entry = models?.find(({ name }) => name === `${model}:latest`);
    expect(entry?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test('showing a missing model returns 404', async () => {
    const response = await post('/api/show', { model: 'nope' });
    expect([response.status, response.body.error]).toEqual([404, "model 'nope:latest' not found"]);
  });

  test('a pull that fails returns 200, and its last line is an error', async () => {
    const response = await post('/api/pull', { model: 'portico-no-such-model' });
    expect([response.status, response.type]).toEqual([200, 'application/x-ndjson']);
    const lines = response.text.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: expect.any(String) as string });
  });

  test('a failed pull without streaming returns 500, and a pull of an invalid name returns 400', async () => {
    const failedPull = await post('/api/pull', { model: 'portico-no-such-model', stream: false });
    expect([failedPull.status, typeof failedPull.body.error]).toEqual([500, 'string']);
    expect((await post('/api/pull', { model: 'a b!' })).status).toBe(400);
  });

  test('many concurrent requests all succeed', async () => {
    const texts = Array.from({ length: 16 }, (_, index) => `rain ${index}`);
    const responses = await Promise.all(Array.from({ length: 40 }, () => embed({ input: texts })));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  });
};

const dot = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, a, i) => sum + a * (y[i] ?? 0), 0);

const fake = await startFakeOllama();
afterAll(() => fake.close());
describe('fake Ollama:', () => testServer(fake));

const ollama = await connectToOllama();
describe.skipIf(!ollama)('Ollama:', () => testServer(ollama ?? fake));

describe('fake Ollama, on demand:', () => {
  test('a pull reports its steps in bytes, and installs the model', async () => {
    const emptyServer = await startFakeOllama({ models: [] });
    const pull = await fetch(`${emptyServer.url}/api/pull`, { method: 'POST', body: JSON.stringify({ model }) });
    const lines = (await pull.text()).trim().split('\n');
    const steps = lines.map((line) => JSON.parse(line) as { status: string; total?: number; completed?: number });
    expect(steps.at(-1)).toEqual({ status: 'success' });
    expect(steps.some(({ total = 0, completed = 0 }) => completed > 0 && completed < total)).toBe(true);
    const embedResponse = await fetch(`${emptyServer.url}/api/embed`, {
      method: 'POST',
      body: JSON.stringify({ model, input: 'x' }),
    });
    expect(embedResponse.status).toBe(200);
    await emptyServer.close();
  });

  test('a model with a different digest returns different vectors', async () => {
    const server = await startFakeOllama();
    const embed = async () => {
      const body = JSON.stringify({ model, input: 'rain and wind' });
      return (await fetch(`${server.url}/api/embed`, { method: 'POST', body })).json() as Promise<TestResponse['body']>;
    };
    const before = await embed();
    server.install({ name: 'nomic-embed-text:latest', digest: 'f'.repeat(64), dimension: 768, contextLength: 2048 });
    expect((await embed()).embeddings).not.toEqual(before.embeddings);
    await server.close();
  });

  const requestEmbedding = (server: OllamaServer, input: unknown, signal?: AbortSignal) =>
    fetch(`${server.url}/api/embed`, {
      method: 'POST',
      body: JSON.stringify({ model, input }),
      ...(signal ? { signal } : {}),
    });

  test('a client that disconnects aborts the load that it started, and the next request starts a new one', async () => {
    const server = await startFakeOllama();
    server.runner.loadMs = 300;
    await expect(requestEmbedding(server, 'rain', AbortSignal.timeout(100))).rejects.toThrow();
    expect((await requestEmbedding(server, 'rain')).status).toBe(200);
    expect(server.runner.loadCount).toBe(2);
    await requestEmbedding(server, 'rain');
    expect(server.runner.loadCount).toBe(2);
    await server.close();
  });

  test('a request during a load waits for it, and a request without a text loads the model too', async () => {
    const server = await startFakeOllama();
    server.runner.loadMs = 100;
    const responses = await Promise.all([[], 'rain', 'snow'].map((input) => requestEmbedding(server, input)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.runner.loadCount).toBe(1);
    await server.close();
  });

  test('texts are processed one by one, first come, first served, even if their client has disconnected', async () => {
    const server = await startFakeOllama();
    server.runner.tokenMs = 30;
    const abandonedRequest = requestEmbedding(server, 'rain '.repeat(20), AbortSignal.timeout(200)).catch(() => 'left');
    await expect.poll(() => server.requestsTo('/api/embed')).toHaveLength(1);
    const firstRequest = requestEmbedding(server, 'snow');
    await expect.poll(() => server.requestsTo('/api/embed')).toHaveLength(2);
    const secondRequest = requestEmbedding(server, 'sun and moon');
    expect((await requestEmbedding(server, [])).status).toBe(200);
    expect(await abandonedRequest).toBe('left');
    expect((await Promise.all([firstRequest, secondRequest])).map(({ status }) => status)).toEqual([200, 200]);
    expect(server.runner.processedTokens).toEqual([22, 3, 5]);
    await server.close();
  });

  test.each([
    ['runnerGone', 400, /\/v1\/embeddings": EOF$/],
    ['failure', 500, /^llama-server process has terminated: /],
  ] as const)(
    'a runner that fails (%s) returns %i, and the next request loads the model',
    async (fault, status, message) => {
      const server = await startFakeOllama();
      server.setFault(fault, 1);
      const response = await requestEmbedding(server, 'rain');
      expect([response.status, ((await response.json()) as TestResponse['body']).error]).toEqual([
        status,
        expect.stringMatching(message) as string,
      ]);
      expect((await requestEmbedding(server, 'rain')).status).toBe(200);
      expect(server.runner.loadCount).toBe(2);
      await server.close();
    },
  );

  test('a pull that stalls keeps sending the same line', async () => {
    const server = await startFakeOllama({ models: [] });
    server.pullFault = 'stall';
    const pull = await fetch(`${server.url}/api/pull`, { method: 'POST', body: JSON.stringify({ model }) });
    const lines: string[] = [];
    for await (const chunk of (pull.body ?? []) as AsyncIterable<Uint8Array>) {
      lines.push(...Buffer.from(chunk).toString('utf8').trim().split('\n'));
      if (lines.length > 8) break;
    }
    expect(new Set(lines.slice(4)).size).toBe(1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ completed: expect.any(Number) as number });
    await server.close();
  });
});
