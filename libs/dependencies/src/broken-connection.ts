/**
 * Sends a request, and once more if its connection broke before any response, as a kept one does when the server closes
 * it at that very moment (RFC 9112, section 9.3.1). Only for requests that may arrive twice.
 */
export const againIfBroken = async <Answer>(
  send: () => Promise<Answer>,
  signal: AbortSignal | null = null,
): Promise<Answer> => {
  try {
    return await send();
  } catch (error) {
    if (!isBroken(error) || signal?.aborted) throw error;
    return send();
  }
};

/** How `fetch` names a connection that broke: a reset, while writing, or closed by the other side. */
const codes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const isBroken = (error: unknown): boolean => {
  const cause: unknown = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && codes.has(cause.code);
};
