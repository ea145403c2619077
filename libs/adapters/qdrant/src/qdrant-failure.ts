/**
 * `away`: it does not answer, not in time, or nothing that can be used. `key`: it refuses the API key. `missing`: the collection
 * is not there, which is an answer. `refused`: it works and will not do this. `left alone`: it was not even asked, after failures
 * of other kinds.
 */
export type FailureKind = 'away' | 'key' | 'missing' | 'refused' | 'left alone';

/** A call to Qdrant that came to nothing. Its message has no secret: only what failed, and the server's own words. */
export class QdrantFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What the client threw, told once; its messages alone say too little (`Not Found`). */
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

/** The error of the envelope, or the plain text that 401 has; a page of HTML is not worth a log line. */
const wordsOf = (data: unknown): string => {
  if (isEnvelope(data)) return data.status.error.slice(0, wordsMax);
  return typeof data === 'string' && !data.includes('<') ? data.slice(0, wordsMax) : '';
};
