import { embedWords, normalised, readText, type StandInModel } from './stand-in-model.ts';

/** An answer: a JSON body, with its status. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type Json = Readonly<Record<string, unknown>>;

export const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

/** The answer of `POST /api/embed`; `find` returns the model of a name, or a refusal. */
export const embedAnswer = (request: Json, find: (name: unknown) => StandInModel | Answer): Answer => {
  const malformed = refuseField(request);
  if (malformed) return malformed;
  const model = find(request.model);
  if ('status' in model) return model;
  const texts = textsOf(request.input);
  if (!texts) return refusal(400, 'invalid input type');
  const read = texts.map((text) => readText(text, model));
  if (request.truncate === false && read.some(({ isCut }) => isCut)) {
    return refusal(400, 'the input length exceeds the context length');
  }
  return {
    status: 200,
    body: {
      model: request.model,
      embeddings: read.map(({ words }) => shortened(embedWords(words, model), request.dimensions)),
      total_duration: 1_000_000,
      load_duration: 1_000,
      prompt_eval_count: read.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  };
};

/** What the server's own JSON reader refuses before it looks at anything. */
const refuseField = ({ keep_alive: keepAlive, dimensions, options }: Json): Answer | null => {
  if (typeof keepAlive === 'string' && !/^[+-]?(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/.test(keepAlive)) {
    const isNumber = /^[+-]?\d+$/.test(keepAlive);
    return refusal(400, `time: ${isNumber ? 'missing unit in' : 'invalid'} duration "${keepAlive}"`);
  }
  if (typeof keepAlive === 'boolean') return refusal(400, "Unsupported type: 'bool'");
  if (dimensions !== undefined && typeof dimensions !== 'number') {
    return refusal(400, 'json: cannot unmarshal string into Go struct field EmbedRequest.dimensions of type int');
  }
  for (const [name, value] of Object.entries((options ?? {}) as Json)) {
    if (integers.has(name) && typeof value !== 'number')
      return refusal(500, `option "${name}" must be of type integer`);
  }
  return null;
};

const integers: ReadonlySet<string> = new Set(['num_ctx', 'num_thread']);

/** An empty text by itself counts as no text; in a list it counts as one. Null if the input has another type. */
const textsOf = (input: unknown): readonly string[] | null => {
  if (input === undefined || input === null || input === '') return [];
  if (typeof input === 'string') return [input];
  return Array.isArray(input) && input.every((text) => typeof text === 'string') ? input : null;
};

/** More dimensions than the vector has, or none, mean all of them. */
const shortened = (vector: number[], dimensions: unknown): number[] =>
  typeof dimensions === 'number' && dimensions > 0 && dimensions < vector.length
    ? normalised(vector.slice(0, dimensions))
    : vector;
