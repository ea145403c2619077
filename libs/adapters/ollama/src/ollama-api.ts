import { Ollama, type ProgressResponse } from 'ollama';
import { OllamaFailure, OllamaRefusal } from './ollama-failure.ts';

/** The three requests that Portico makes of an Ollama server. What they answer is not checked any further. */
export interface OllamaApi {
  /** `truncate: false`: what is too long is refused, never cut without a word. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<unknown>;
  tags(signal: AbortSignal): Promise<unknown>;
  /** Raises what the server says went wrong, also in the middle. */
  pull(signal: AbortSignal): AsyncIterable<ProgressResponse>;
}

/** The model stays loaded for so long after its last use, so that the first search of an hour need not wait for it. */
const keepAlive = '30m';
const answerBytesMax = 16 * 1024 * 1024;
const refusalLengthMax = 200;

/** By the vendor's client, made anew for each call: its calls take no signal, but its `fetch` does. */
export const createOllamaApi = (address: string, model: string): OllamaApi => {
  const { host, headers } = readAddress(address);
  const client = (type: string, signal: AbortSignal): Ollama =>
    new Ollama({ host, headers, fetch: (input, init) => guardedFetch(input, init, type, signal) });
  return {
    embed: (texts, signal) =>
      readable(
        client('application/json', signal).embed({
          model,
          input: [...texts],
          truncate: false,
          keep_alive: keepAlive,
        }),
      ),
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
  return type === 'application/json' ? new Response(await textOf(response, answerBytesMax)) : response;
};

const brokenConnection = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const isBroken = (error: unknown): boolean => {
  const cause: unknown = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && brokenConnection.has(String(cause.code));
};

/** What the server says of its refusal: the `error` of a JSON body, or the body's beginning. */
const refusalOf = async (response: Response): Promise<string> => {
  const text = await textOf(response, answerBytesMax);
  try {
    const { error } = Object(JSON.parse(text)) as { readonly error?: unknown };
    if (typeof error === 'string') return error.slice(0, refusalLengthMax);
  } catch {
    // Text is said as it is.
  }
  return text.slice(0, refusalLengthMax);
};

const textOf = async (response: Response, bytesMax: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (!body) return '';
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new OllamaFailure('server', `Ollama answered more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
