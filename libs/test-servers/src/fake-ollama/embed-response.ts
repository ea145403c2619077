import { embedWords, normalize, tokenize, type FakeModel } from './fake-model.ts';

/** A JSON body with its HTTP status. */
export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

export type Json = Readonly<Record<string, unknown>>;

export const createErrorResponse = (status: number, error: string): JsonResponse => ({ status, body: { error } });

/** Returns the response to `POST /api/embed`. `findModel` returns the model with the given name, or an error. */
export const createEmbedResponse = (
  request: Json,
  findModel: (name: unknown) => FakeModel | JsonResponse,
): JsonResponse => {
  const fieldError = findFieldError(request);
  if (fieldError) return fieldError;
  const model = findModel(request.model);
  if ('status' in model) return model;
  const texts = textsOf(request.input);
  if (!texts) return createErrorResponse(400, 'invalid input type');
  const inputs = texts.map((text) => tokenize(text, model));
  if (request.truncate === false && inputs.some(({ isTruncated }) => isTruncated)) {
    return createErrorResponse(400, 'the input length exceeds the context length');
  }
  return {
    status: 200,
    body: {
      model: request.model,
      embeddings: inputs.map(({ words }) => shorten(embedWords(words, model), request.dimensions)),
      total_duration: 1_000_000,
      load_duration: 1_000,
      prompt_eval_count: inputs.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  };
};

/** Returns the error of the server's own JSON parser, which takes precedence over all others; null if there is none. */
const findFieldError = ({ keep_alive: keepAlive, dimensions, options }: Json): JsonResponse | null => {
  if (typeof keepAlive === 'string' && !/^[+-]?(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/.test(keepAlive)) {
    const isNumber = /^[+-]?\d+$/.test(keepAlive);
    return createErrorResponse(400, `time: ${isNumber ? 'missing unit in' : 'invalid'} duration "${keepAlive}"`);
  }
  if (typeof keepAlive === 'boolean') return createErrorResponse(400, "Unsupported type: 'bool'");
  if (dimensions !== undefined && typeof dimensions !== 'number') {
    return createErrorResponse(
      400,
      'json: cannot unmarshal string into Go struct field EmbedRequest.dimensions of type int',
    );
  }
  for (const [name, value] of Object.entries((options ?? {}) as Json)) {
    if (integerOptions.has(name) && typeof value !== 'number')
      return createErrorResponse(500, `option "${name}" must be of type integer`);
  }
  return null;
};

const integerOptions: ReadonlySet<string> = new Set(['num_ctx', 'num_thread']);

/**
 * Returns the texts of the input, or null for input of a different type. A single empty text counts as no text, but an
 * empty text in a list counts as one.
 */
const textsOf = (input: unknown): readonly string[] | null => {
  if (input === undefined || input === null || input === '') return [];
  if (typeof input === 'string') return [input];
  return Array.isArray(input) && input.every((text) => typeof text === 'string') ? input : null;
};

/**
 * Returns the vector shortened to `dimensions` and normalized; unchanged without `dimensions`, or if the vector has no
 * more than that.
 */
const shorten = (vector: number[], dimensions: unknown): number[] =>
  typeof dimensions === 'number' && dimensions > 0 && dimensions < vector.length
    ? normalize(vector.slice(0, dimensions))
    : vector;
