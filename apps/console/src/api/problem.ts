/** An error response from the service, or no response at all (status 0). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** The service's `detail`, a message for people; null if there is none. */
  readonly detail: string | null;
  /** The `X-Request-Id`, which an operator uses to find the request in the log. */
  readonly requestId: string | null;
  /** For a 429, the number of seconds to wait before a retry. */
  readonly retryAfter: number | null;

  constructor(status: number, detail: string | null, requestId: string | null, retryAfter: number | null = null) {
    super(detail ?? `The service responded with ${status}`);
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export const isProblem = (error: unknown, ...statuses: readonly number[]): error is Problem =>
  error instanceof Problem && (statuses.length === 0 || statuses.includes(error.status));
