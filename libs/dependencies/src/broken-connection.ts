/**
 * Sends a request, and retries it once if its connection broke before any response was received. This happens to a
 * keep-alive connection if the server closes it at that very moment (RFC 9112, section 9.3.1). Use only for requests
 * that may arrive twice.
 */
export const retryIfBroken = async <Result>(
  send: () => Promise<Result>,
  signal: AbortSignal | null = null,
): Promise<Result> => {
  try {
    return await send();
  } catch (error) {
    if (!isBroken(error) || signal?.aborted) throw error;
    return send();
  }
};

/** The error codes that `fetch` uses for a broken connection: reset, broken while writing, or closed by the peer. */
const brokenCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const isBroken = (error: unknown): boolean => {
  const cause: unknown = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && brokenCodes.has(cause.code);
};
