import { retryIfBroken, readBoundedText } from '@portico/dependencies';
import { Ollama, type ProgressResponse } from 'ollama';
import { OllamaFailure, OllamaStatusError } from './ollama-failure.ts';

/** The requests that Portico sends to an Ollama server. Their responses are not validated here. */
export interface OllamaApi {
  /** Embeds a text. Sends `truncate: false`, so that a text that is too long is rejected and never cut silently. */
  embed(text: string, signal: AbortSignal): Promise<unknown>;
  /** Loads the model. Resolves once it is loaded, even if the server is busy embedding texts. */
  load(signal: AbortSignal): Promise<unknown>;
  listModels(signal: AbortSignal): Promise<unknown>;
  /** Pulls the model. Throws any error that the server reports, even partway through. */
  pull(signal: AbortSignal): AsyncIterable<ProgressResponse>;
}

/** Options for running the model. Null means the server's default. */
export interface ModelOptions {
  /**
   * How long the model remains loaded after its last use: seconds, or a duration such as `24h`; a negative value means
   * indefinitely.
   */
  readonly keepAlive?: string | number | null;
  /** The number of computing threads. */
  readonly numThread?: number | null;
}

const responseBytesMax = 16 * 1024 * 1024;
const errorLengthMax = 200;

/**
 * Creates a separate vendor client for each call, because the client's methods accept no signal, but its `fetch` does.
 */
export const createOllamaApi = (serverUrl: string, model: string, options: ModelOptions = {}): OllamaApi => {
  const { host, headers } = extractCredentials(serverUrl);
  const createClient = (type: string, signal: AbortSignal): Ollama =>
    new Ollama({ host, headers, fetch: (input, init) => fetchOfType(input, init, type, signal) });
  const { keepAlive = null, numThread = null } = options;
  // These are the same in every request: different options would make the server reload the model.
  const parameters = {
    model,
    truncate: false,
    ...(keepAlive === null ? {} : { keep_alive: keepAlive }),
    ...(numThread === null ? {} : { options: { num_thread: numThread } }),
  };
  const embed = (input: string[], signal: AbortSignal) =>
    hideParserError(createClient('application/json', signal).embed({ ...parameters, input }));
  return {
    embed: (text, signal) => embed([text], signal),
    load: (signal) => embed([], signal),
    listModels: (signal) => hideParserError(createClient('application/json', signal).list()),
    async *pull(signal) {
      yield* await createClient('application/x-ndjson', signal).pull({ model, stream: true });
    },
  };
};

/** Replaces the parser's error, which the vendor's client passes on and which quotes part of the response. */
const hideParserError = async (response: Promise<unknown>): Promise<unknown> => {
  try {
    return await response;
  } catch (error) {
    if (error instanceof SyntaxError) throw new OllamaFailure('server', 'Ollama responded with invalid JSON');
    throw error;
  }
};

/** Moves a password into a header, because `fetch` rejects a URL with a password. */
const extractCredentials = (serverUrl: string): { readonly host: string; readonly headers: Record<string, string> } => {
  const url = new URL(serverUrl);
  const { username, password } = url;
  if (!username && !password) return { host: url.href, headers: {} };
  url.username = '';
  url.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { host: url.href, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
};

/**
 * Rejects a response of a different type before the client receives it: the client would accept any type and write to
 * the console.
 */
const fetchOfType = async (
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  type: string,
  signal: AbortSignal,
): Promise<Response> => {
  const combinedSignal = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
  const response = await retryIfBroken(
    () => fetch(input, { ...init, redirect: 'error', signal: combinedSignal }),
    combinedSignal,
  );
  if (!response.ok) throw new OllamaStatusError(response.status, await errorOf(response));
  const contentType = response.headers.get('content-type') ?? 'nothing';
  if (!contentType.startsWith(type)) {
    await response.body?.cancel();
    throw new OllamaFailure('server', `Ollama responded with ${contentType.slice(0, 80)} instead of ${type}`);
  }
  return type === 'application/json' ? new Response(await textOf(response)) : response;
};

/** Returns the server's error message: the `error` of a JSON body, or the beginning of the body. */
const errorOf = async (response: Response): Promise<string> => {
  const text = await textOf(response);
  try {
    const { error } = Object(JSON.parse(text)) as { readonly error?: unknown };
    if (typeof error === 'string') return error.slice(0, errorLengthMax);
  } catch {
    // Plain text is used unchanged.
  }
  return text.slice(0, errorLengthMax);
};

const textOf = (response: Response): Promise<string> =>
  readBoundedText(
    response,
    responseBytesMax,
    () => new OllamaFailure('server', `Ollama responded with more than ${responseBytesMax} bytes`),
  );
