/** An answer of the service that is no success, or its silence (status 0). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** The service's `detail`, in words for people; null if it gave none. */
  readonly detail: string | null;
  /** `X-Request-Id`, by which an operator finds the request in the log. */
  readonly requestId: string | null;
  /** Seconds until another try makes sense, of a 429. */
  readonly retryAfter: number | null;

  constructor(status: number, detail: string | null, requestId: string | null, retryAfter: number | null = null) {
    super(detail ?? `The service answered with ${status}`);
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export const isProblem = (error: unknown, ...statuses: readonly number[]): error is Problem =>
  error instanceof Problem && (statuses.length === 0 || statuses.includes(error.status));
