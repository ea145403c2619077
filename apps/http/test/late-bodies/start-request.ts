import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { CallOptions } from '../client.ts';

/** An admitted request whose body lacks its last byte. */
export interface IncompleteRequest {
  /** Sends the last byte; returns the status, headers and text of the response. */
  readonly finish: () => Promise<LateReply>;
}

export interface LateReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends a request up to the last byte of its body. By then, the service has authorized the caller, because it sends
 * `100 Continue` only for admitted requests. Throws if the service responds earlier.
 */
export const startRequest = async (
  baseUrl: string,
  method: string,
  path: string,
  { token, key, json, headers = [] }: CallOptions,
): Promise<IncompleteRequest> => {
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
  const reply = new Promise<LateReply>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      incoming.setEncoding('utf8');
      incoming
        .toArray()
        .then((parts) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: parts.join('') }))
        .catch(reject);
    });
  });
  const continued = once(outgoing, 'continue');
  outgoing.flushHeaders();
  const earlyReply = await Promise.race([continued.then(() => null), reply]);
  if (earlyReply)
    throw new Error(
      `${method} ${path} got a response before the end of its body: ${earlyReply.status} ${earlyReply.text}`,
    );
  outgoing.write(body.slice(0, -1));
  return {
    finish: () => {
      outgoing.end(body.slice(-1));
      return reply;
    },
  };
};
