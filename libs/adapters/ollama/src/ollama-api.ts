import { boundedText } from '@portico/dependencies';
import { Ollama, type ProgressResponse } from 'ollama';
import { OllamaFailure, OllamaRefusal } from './ollama-failure.ts';

/** The requests that Portico makes of an Ollama server. What they answer is not checked any further. */
export interface OllamaApi {
  /** `truncate: false`: what is too long is refused, never cut without a word. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<unknown>;
  /** Fulfilled once the model is loaded, though the server is busy with texts. */
  load(signal: AbortSignal): Promise<unknown>;
  tags(signal: AbortSignal): Promise<unknown>;
  /** Throws what the server says went wrong, also in the middle. */
  pull(signal: AbortSignal): AsyncIterable<ProgressResponse>;
}

/** How the server is to run the model, where that is not left to it. */
export interface ModelOptions {
  /** How long it stays loaded after its last use: seconds, or a duration such as `24h`; below 0 for good. */
  readonly keepAlive?: string | number | null;
  /** How many threads compute. */
  readonly numThread?: number | null;
}

const answerBytesMax = 16 * 1024 * 1024;
const refusalLengthMax = 200;

/** By the vendor's client, made anew for each call: its calls take no signal, but its `fetch` does. */
export const createOllamaApi = (address: string, model: string, options: ModelOptions = {}): OllamaApi => {
  const { host, headers } = readAddress(address);
  const client = (type: string, signal: AbortSignal): Ollama =>
    new Ollama({ host, headers, fetch: (input, init) => guardedFetch(input, init, type, signal) });
  const { keepAlive = null, numThread = null } = options;
  // The same in every request: a model that is asked for with other options is loaded anew.
  const asked = {
    model,
    truncate: false,
    ...(keepAlive === null ? {} : { keep_alive: keepAlive }),
    ...(numThread === null ? {} : { options: { num_thread: numThread } }),
  };
  const embed = (input: string[], signal: AbortSignal) =>
    readable(client('application/json', signal).embed({ ...asked, input }));
  return {
    embed: (texts, signal) => embed([...texts], signal),
    load: (signal) => embed([], signal),
    tags: (signal) => readable(client('application/json', signal).list()),
    async *pull(signal) {
      yield* await client('application/x-ndjson', signal).pull({ model, stream: true });
    },
  };
};

/** The vendor's client lets the parser's error through, which shows a piece of the answer. */
const readable = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SyntaxError) throw new OllamaFailure('server', 'Ollama answered something that is no JSON');
    throw error;
  }
};

/** `fetch` takes no address with a password in it; it goes into a header. */
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
 * Refuses what is not an answer of this type before the client sees it, which would take anything for one and write to the
 * console. A connection that breaks before anything was received, as an idle one does when the server restarts, is tried
 * once more.
 */
const guardedFetch = async (
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  type: string,
  signal: AbortSignal,
): Promise<Response> => {
  const signals = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
  const send = () => fetch(input, { ...init, redirect: 'error', signal: signals });
  const response = await send().catch((error: unknown) => {
    if (isBroken(error) && !signals.aborted) return send();
    throw error;
  });
  if (!response.ok) throw new OllamaRefusal(response.status, await refusalOf(response));
  const answered = response.headers.get('content-type') ?? 'nothing';
  if (!answered.startsWith(type)) {
    await response.body?.cancel();
    throw new OllamaFailure('server', `Ollama answered ${answered.slice(0, 80)} where ${type} was asked for`);
  }
  return type === 'application/json' ? new Response(await textOf(response)) : response;
};

const brokenConnection = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const isBroken = (error: unknown): boolean => {
  const cause: unknown = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && brokenConnection.has(String(cause.code));
};

/** What the server says of its refusal: the `error` of a JSON body, or the body's beginning. */
const refusalOf = async (response: Response): Promise<string> => {
  const text = await textOf(response);
  try {
    const { error } = Object(JSON.parse(text)) as { readonly error?: unknown };
    if (typeof error === 'string') return error.slice(0, refusalLengthMax);
  } catch {
    // Text is said as it is.
  }
  return text.slice(0, refusalLengthMax);
};

const textOf = (response: Response): Promise<string> =>
  boundedText(
    response,
    answerBytesMax,
    () => new OllamaFailure('server', `Ollama answered more than ${answerBytesMax} bytes`),
  );
