import autocannon from 'autocannon';

export interface BenchRequest {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The expected status; 200 by default. */
  readonly status?: number;
}

/** Sends this many requests and returns the CPU seconds that the server spent on them. Throws on any other status. */
export const measure = async (
  address: string,
  { method = 'GET', path = '/', headers = {}, body, status = 200 }: BenchRequest,
  requests: number,
  connections: number,
  cpuSeconds: () => Promise<number>,
): Promise<number> => {
  const before = await cpuSeconds();
  const result = await autocannon({
    url: `${address}${path}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    amount: requests,
    connections,
    pipelining: 1,
  });
  const after = await cpuSeconds();
  const right = result.statusCodeStats?.[String(status) as keyof typeof result.statusCodeStats] as
    { count: number } | undefined;
  if (result.errors > 0 || right?.count !== requests) {
    throw new Error(
      `${method} ${path}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors, expected ${requests} of ${status}`,
    );
  }
  return after - before;
};
