import type { ServerResponse } from 'node:http';

/**
 * What the stand-in does instead of answering (`hang`, `reset`), what it answers instead (`garbage`, `html`, `403`,
 * `408`, `429`, `500`, `503`, `507`), or how it spoils a right answer.
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
  /** `result` has another shape. */
  | 'wrong shape'
  /** Each score is null, as NaN would be in JSON, or a text. */
  | 'wrong scores'
  /** The first point is one that was not requested. */
  | 'foreign ids'
  /** A write is reported as not done within the time to wait, whatever its later outcome. */
  | 'wait timeout';

export class Faults {
  #fault: QdrantFault | null = null;
  #isMeant: (method: string, path: string) => boolean = () => true;

  /** From now on, for the requests that `isMeant` selects; null ends it. */
  set(fault: QdrantFault | null, isMeant: (method: string, path: string) => boolean = () => true): void {
    this.#fault = fault;
    this.#isMeant = isMeant;
  }

  of(method: string, path: string): QdrantFault | null {
    return this.#fault !== null && this.#isMeant(method, path) ? this.#fault : null;
  }
}

/** Answers instead of the server; returns false if the fault only spoils the right answer. */
export const answerFault = (fault: QdrantFault, response: ServerResponse): boolean => {
  const refuse = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
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
      return refuse(403, 'Forbidden: Global manage access is required');
    case '408':
      return refuse(408, 'Timeout: Operation timed out');
    case '429':
      return refuse(429, 'Rate limiting exceeded: write rate limit exceeded', { 'retry-after': '5' });
    case '500':
      return refuse(500, 'Service internal error: something went wrong');
    case '503':
      return refuse(503, 'Service internal error: 1 of 1 shards are not active');
    case '507':
      return refuse(507, 'Service internal error: No space left on device');
    default:
      return false;
  }
};

const foreignId = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const foreign = { id: foreignId, score: 0.999, payload: { collection_id: foreignId, key: 'a'.repeat(16) } };

interface Found {
  readonly id: unknown;
  readonly score: number;
}

/** The right answer, spoilt. */
export const spoil = (fault: QdrantFault, result: unknown): unknown => {
  switch (fault) {
    case 'wrong shape':
      return { hits: result };
    case 'wrong scores':
      return spoilSearch(result, (found) =>
        found.map((point, i) => ({ ...point, score: i % 2 === 1 ? 'high' : null })),
      );
    case 'foreign ids':
      return spoilSearch(result, (found) => [foreign, ...found]);
    case 'wait timeout':
      return spoilWrite(result);
    default:
      return result;
  }
};

const spoilSearch = (result: unknown, change: (found: readonly Found[]) => readonly unknown[]): unknown => {
  const points = (result as { readonly points?: readonly Found[] }).points ?? [];
  return points.some((point) => 'score' in point) ? { points: change(points) } : result;
};

const spoilWrite = (result: unknown): unknown =>
  Array.isArray(result)
    ? result.map(spoilWrite)
    : (result as { readonly status?: string }).status === 'completed'
      ? { ...(result as object), status: 'wait_timeout' }
      : result;
