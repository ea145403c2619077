import type { ServerResponse } from 'node:http';

/**
 * What happens instead of a response (`hang`, `reset`), the response that is sent instead (`garbage`, `html`, `403`,
 * `408`, `429`, `500`, `503`, `507`), or how a correct response is corrupted.
 */
export type QdrantFault =
  | 'hang'
  | 'reset'
  | 'garbage'
  | 'html'
  | '403'
  | '408'
  | '429'
  | '500'
  | '503'
  | '507'
  /** `result` has a different shape. */
  | 'wrong shape'
  /** Each score is null, as NaN would be in JSON, or a string. */
  | 'wrong scores'
  /** The first point was not requested. */
  | 'foreign ids'
  /** A write is reported as not finished within its timeout, regardless of its later outcome. */
  | 'wait timeout';

export class Faults {
  #fault: QdrantFault | null = null;
  #isSelected: (method: string, path: string) => boolean = () => true;

  /** Sets the fault for matching requests from now on. Null removes it. */
  set(fault: QdrantFault | null, isSelected: (method: string, path: string) => boolean = () => true): void {
    this.#fault = fault;
    this.#isSelected = isSelected;
  }

  findFault(method: string, path: string): QdrantFault | null {
    return this.#fault !== null && this.#isSelected(method, path) ? this.#fault : null;
  }
}

/** Responds in place of the server. Returns false if the fault only corrupts the correct response. */
export const respondWithFault = (fault: QdrantFault, response: ServerResponse): boolean => {
  const sendError = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ status: { error: text }, time: 0 }));
    return true;
  };
  switch (fault) {
    case 'hang':
      return true;
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"result": \u0000\u0001');
      return true;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>502 Bad Gateway</body></html>');
      return true;
    case '403':
      return sendError(403, 'Forbidden: Global manage access is required');
    case '408':
      return sendError(408, 'Timeout: Operation timed out');
    case '429':
      return sendError(429, 'Rate limiting exceeded: write rate limit exceeded', { 'retry-after': '5' });
    case '500':
      return sendError(500, 'Service internal error: something went wrong');
    case '503':
      return sendError(503, 'Service internal error: 1 of 1 shards are not active');
    case '507':
      return sendError(507, 'Service internal error: No space left on device');
    default:
      return false;
  }
};

const foreignId = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const foreignPoint = { id: foreignId, score: 0.999, payload: { collection_id: foreignId, key: 'a'.repeat(16) } };

interface ScoredPoint {
  readonly id: unknown;
  readonly score: number;
}

/** Corrupts the correct result. */
export const corruptResult = (fault: QdrantFault, result: unknown): unknown => {
  switch (fault) {
    case 'wrong shape':
      return { hits: result };
    case 'wrong scores':
      return corruptSearchResult(result, (points) =>
        points.map((point, i) => ({ ...point, score: i % 2 === 1 ? 'high' : null })),
      );
    case 'foreign ids':
      return corruptSearchResult(result, (points) => [foreignPoint, ...points]);
    case 'wait timeout':
      return corruptWriteResult(result);
    default:
      return result;
  }
};

const corruptSearchResult = (
  result: unknown,
  change: (points: readonly ScoredPoint[]) => readonly unknown[],
): unknown => {
  const points = (result as { readonly points?: readonly ScoredPoint[] }).points ?? [];
  return points.some((point) => 'score' in point) ? { points: change(points) } : result;
};

const corruptWriteResult = (result: unknown): unknown =>
  Array.isArray(result)
    ? result.map(corruptWriteResult)
    : (result as { readonly status?: string }).status === 'completed'
      ? { ...(result as object), status: 'wait_timeout' }
      : result;
