import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { PreparedRequest } from '../calls-check/product.ts';

/** An error in a prepared request that keeps it from being sent. */
export class UnsendableError extends Error {}

/** Returns the path and query of an absolute or relative URL, exactly as written. */
export const targetOf = (url: string): string => {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  return target.startsWith('/') ? target : `/${target}`;
};

export const bodyOf = ({ body }: Pick<PreparedRequest, 'body'>): Buffer =>
  body === null ? Buffer.alloc(0) : 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');

const timeoutMs = 10_000;

type SendableRequest = Pick<PreparedRequest, 'method' | 'url' | 'headers' | 'body'>;

/** Sends a prepared request to a server on this machine instead of its own; returns the status and the body. */
export async function sendRequest(prepared: SendableRequest, port: number): Promise<{ status: number; text: string }> {
  const body = bodyOf(prepared);
  const headers = prepared.headers.map(([name, value]) => [name, Buffer.from(value).toString('latin1')] as const);
  const lengthHeader = prepared.body === null ? [] : [['Content-Length', String(body.length)] as const];
  try {
    const outgoing = request({
      signal: AbortSignal.timeout(timeoutMs),
      host: '127.0.0.1',
      port,
      method: prepared.method,
      path: targetOf(prepared.url),
      headers: [['Host', 'echo.example'], ...headers, ...lengthHeader, ['Connection', 'close']].flat(),
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    throw new UnsendableError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
