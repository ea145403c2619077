import type { Logger } from 'pino';

/** What a request's line tells besides method, route and status. */
export interface RequestFacts {
  readonly ms: number;
  readonly request_id: string;
  profile_id?: string;
  trace_id?: string;
  service_account_id?: string;
  unreadable?: string;
  aborted?: true;
}

export type RequestLog = (
  level: 'debug' | 'info',
  method: string,
  route: string,
  status: number,
  facts: RequestFacts,
) => void;

/**
 * Writes a line for each request. What requests of a kind have in common is written out once, by a child logger for each
 * method, route and status.
 */
export const createRequestLog = (logger: Logger): RequestLog => {
  const children = new Map<string, Logger>();
  return (level, method, route, status, facts) => {
    const kind = `${method} ${status} ${route}`;
    let child = children.get(kind);
    if (!child) {
      child = logger.child({ method, route, status });
      children.set(kind, child);
    }
    child[level](facts, 'request');
  };
};
