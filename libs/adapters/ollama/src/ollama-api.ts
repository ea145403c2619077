import { againIfBroken, boundedText } from '@portico/dependencies';
import { Ollama, type ProgressResponse } from 'ollama';
import { OllamaFailure, OllamaRefusal } from './ollama-failure.ts';

/** The requests that Portico sends to an Ollama server. Their responses are not validated here. */
export interface OllamaApi {
  /** `truncate: false`: a text that is too long is refused, never cut silently. */
  embed(text: string, signal: AbortSignal): Promise<unknown>;
  /** Resolves once the model is loaded, even if the server is busy with texts. */
  load(signal: AbortSignal): Promise<unknown>;
  tags(signal: AbortSignal): Promise<unknown>;
  /** Throws any error that the server reports, even midway. */
  pull(signal: AbortSignal): AsyncIterable<ProgressResponse>;
}

/** How the server runs the model; null leaves it to the server. */
export interface ModelOptions {
  /** How long it stays loaded after its last use: seconds, or a duration such as `24h`; negative means for ever. */
  readonly keepAlive?: string | number | null;
  /** Number of threads for computing. */
  readonly numThread?: number | null;
}

const answerBytesMax = 16 * 1024 * 1024;
const refusalLengthMax = 200;

/** Uses the vendor's client, one per call: its calls take no signal, but its `fetch` does. */
export const createOllamaApi = (address: string, model: string, options: ModelOptions = {}): OllamaApi => {
  const { host, headers } = readAddress(address);
  const client = (type: string, signal: AbortSignal): Ollama =>
    new Ollama({ host, headers, fetch: (input, init) => guardedFetch(input, init, type, signal) });
  const { keepAlive = null, numThread = null } = options;
  // The same in every request: different options would reload the model.
  const asked = {
    model,
    truncate: false,
    ...(keepAlive === null ? {} : { keep_alive: keepAlive }),
    ...(numThread === null ? {} : { options: { num_thread: numThread } }),
  };
  const embed = (input: string[], signal: AbortSignal) =>
    readable(client('application/json', signal).embed({ ...asked, input }));
  return {
    embed: (text, signal) => embed([text], signal),
    load: (signal) => embed([], signal),
    tags: (signal) => readable(client('application/json', signal).list()),
    async *pull(signal) {
      yield* await client('application/x-ndjson', signal).pull({ model, stream: true });
    },
  };
};

/** The vendor's client passes on the parser's error, which quotes a piece of the response. */
const readable = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SyntaxError) throw new OllamaFailure('server', 'Ollama answered with invalid JSON');
    throw error;
  }
};

/** `fetch` refuses a URL with a password; it goes into a header instead. */
const readAddress = (address: string): { readonly host: string; readonly headers: Record<string, string> } => {
  const url = new URL(address);
  const { username, password } = url;
  if (!username && !password) return { host: url.href, headers: {} };
  url.username = '';
  url.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { host: url.href, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
};

/**
 * Refuses a response of another type before the client sees it: the client would accept anything and write to the
 * console.
 */
const guardedFetch = async (
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  type: string,
  signal: AbortSignal,
): Promise<Response> => {
  const signals = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
  const response = await againIfBroken(() => fetch(input, { ...init, redirect: 'error', signal: signals }), signals);
  if (!response.ok) throw new OllamaRefusal(response.status, await refusalOf(response));
  const answered = response.headers.get('content-type') ?? 'nothing';
  if (!answered.startsWith(type)) {
    await response.body?.cancel();
    throw new OllamaFailure('server', `Ollama answered with ${answered.slice(0, 80)} instead of ${type}`);
  }
  return type === 'application/json' ? new Response(await textOf(response)) : response;
};

/** The server's error message: the `error` of a JSON body, or the beginning of the body. */
const refusalOf = async (response: Response): Promise<string> => {
  const text = await textOf(response);
  try {
    const { error } = Object(JSON.parse(text)) as { readonly error?: unknown };
    if (typeof error === 'string') return error.slice(0, refusalLengthMax);
  } catch {
    // Plain text is used as it is.
  }
  return text.slice(0, refusalLengthMax);
};

const textOf = (response: Response): Promise<string> =>
  boundedText(
    response,
    answerBytesMax,
    () => new OllamaFailure('server', `Ollama answered with more than ${answerBytesMax} bytes`),
  );
