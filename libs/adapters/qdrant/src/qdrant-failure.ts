/**
 * The kind of a failure. `unavailable`: there was no response, or it was late or invalid. `key`: Qdrant rejects the API
 * key. `missing`: the collection does not exist, which is a valid response. `rejected`: Qdrant is working but rejects
 * the call. `circuit open`: Qdrant was not called at all, because of earlier failures.
 */
export type FailureKind = 'unavailable' | 'key' | 'missing' | 'rejected' | 'circuit open';

/** A failed call to Qdrant. Its message contains no secret: only the failed operation and the server's error text. */
export class QdrantFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Translates an error from the client, whose message alone is too short (`Not Found`). */
export const toFailure = (error: unknown, operation: string): QdrantFailure => {
  if (error instanceof QdrantFailure) return error;
  const { status, data, name, cause, message } = error as Partial<ClientError>;
  const options = { cause: error };
  if (status === 401 || status === 403) {
    return new QdrantFailure('key', `Qdrant rejects the API key: ${errorTextOf(data)}`, options);
  }
  if (status === 404 && isEnvelope(data))
    return new QdrantFailure('missing', `${operation}: ${errorTextOf(data)}`, options);
  if (status !== undefined) {
    const isRejection = status >= 400 && status < 500 && status !== 408 && status !== 429 && isEnvelope(data);
    return new QdrantFailure(
      isRejection ? 'rejected' : 'unavailable',
      `${operation}: ${status} ${errorTextOf(data)}`,
      options,
    );
  }
  if (name === 'QdrantClientTimeoutError')
    return new QdrantFailure('unavailable', `${operation}: no response in time`, options);
  const code = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined;
  return new QdrantFailure('unavailable', `${operation}: ${code ?? message ?? 'no response'}`, options);
};

interface ClientError {
  readonly status: number;
  readonly data: unknown;
  readonly name: string;
  readonly message: string;
  readonly cause: unknown;
}

const errorTextMax = 200;

const isEnvelope = (data: unknown): data is { readonly status: { readonly error: string } } =>
  typeof (data as { readonly status?: { readonly error?: unknown } } | null)?.status?.error === 'string';

/** Returns the error text from the envelope, or the plain text of a 401 response. An HTML page is not worth logging. */
const errorTextOf = (data: unknown): string => {
  if (isEnvelope(data)) return data.status.error.slice(0, errorTextMax);
  return typeof data === 'string' && !data.includes('<') ? data.slice(0, errorTextMax) : '';
};
