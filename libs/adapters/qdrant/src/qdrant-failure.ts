/**
 * `away`: no response, too late, or an invalid one. `key`: it refuses the API key. `missing`: the collection does not
 * exist, which is a valid response. `refused`: it works and refuses the call. `left alone`: not called at all, after
 * other failures.
 */
export type FailureKind = 'away' | 'key' | 'missing' | 'refused' | 'left alone';

/** A failed call to Qdrant. Its message holds no secret: only what failed, and the server's own words. */
export class QdrantFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Translates an error of the client, whose message alone says too little (`Not Found`). */
export const toFailure = (error: unknown, what: string): QdrantFailure => {
  if (error instanceof QdrantFailure) return error;
  const { status, data, name, cause, message } = error as Partial<ClientError>;
  const options = { cause: error };
  if (status === 401 || status === 403) {
    return new QdrantFailure('key', `Qdrant refuses the API key: ${wordsOf(data)}`, options);
  }
  if (status === 404 && isEnvelope(data)) return new QdrantFailure('missing', `${what}: ${wordsOf(data)}`, options);
  if (status !== undefined) {
    const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429 && isEnvelope(data);
    return new QdrantFailure(isRefusal ? 'refused' : 'away', `${what}: ${status} ${wordsOf(data)}`, options);
  }
  if (name === 'QdrantClientTimeoutError') return new QdrantFailure('away', `${what}: no answer in time`, options);
  const code = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined;
  return new QdrantFailure('away', `${what}: ${code ?? message ?? 'no answer'}`, options);
};

interface ClientError {
  readonly status: number;
  readonly data: unknown;
  readonly name: string;
  readonly message: string;
  readonly cause: unknown;
}

const wordsMax = 200;

const isEnvelope = (data: unknown): data is { readonly status: { readonly error: string } } =>
  typeof (data as { readonly status?: { readonly error?: unknown } } | null)?.status?.error === 'string';

/** The error of the envelope, or the plain text of a 401; a page of HTML is not worth a log line. */
const wordsOf = (data: unknown): string => {
  if (isEnvelope(data)) return data.status.error.slice(0, wordsMax);
  return typeof data === 'string' && !data.includes('<') ? data.slice(0, wordsMax) : '';
};
