import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { CallOptions } from '../client.ts';

/** A request that has been admitted, and of whose body the last byte is missing. */
export interface BegunRequest {
  /** Sends the last byte; returns status, headers and text of the answer. */
  readonly end: () => Promise<LateReply>;
}

export interface LateReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends a request up to the last byte of its body. The service has judged the caller by then: only an admitted request is
 * told to continue. Throws if the service answers before.
 */
export const beginRequest = async (
  baseUrl: string,
  method: string,
  path: string,
  { token, key, json, headers = [] }: CallOptions,
): Promise<BegunRequest> => {
  const body = JSON.stringify(json ?? {});
  const { hostname, port, host } = new URL(baseUrl);
  const outgoing = httpRequest({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: [
      ...['Host', host, 'Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))],
      ...['Expect', '100-continue'],
      ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
      ...(key === undefined ? [] : ['X-Client-ID', key.clientId, 'X-API-Key', key.secret]),
      ...headers,
    ],
  });
  const answered = new Promise<LateReply>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      incoming.setEncoding('utf8');
      incoming
        .toArray()
        .then((parts) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: parts.join('') }))
        .catch(reject);
    });
  });
  const admitted = once(outgoing, 'continue');
  outgoing.flushHeaders();
  const early = await Promise.race([admitted.then(() => null), answered]);
  if (early) throw new Error(`${method} ${path} was answered before its body: ${early.status} ${early.text}`);
  outgoing.write(body.slice(0, -1));
  return {
    end: () => {
      outgoing.end(body.slice(-1));
      return answered;
    },
  };
};
