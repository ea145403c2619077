import { createServer, request as requestOver } from 'node:http';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { operatorCredential } from '@portico/domain';
import { createAppWithCredentialReader, type HttpAppDependencies } from './http-app.ts';
import type { Method } from './route.ts';

/** A request from the operator. */
export interface OperatorCall {
  readonly method: Method;
  /** The path, including the query. */
  readonly path: string;
  /** The body, as JSON text. */
  readonly body?: string | undefined;
}

export interface OperatorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Creates the API for the owner of the stores: an in-process application that treats each call as the operator's. It
 * does not listen and is not exposed: only the returned function can reach it, over a pair of in-memory streams per
 * call.
 */
export const createOperatorCalls = (
  dependencies: HttpAppDependencies,
): ((call: OperatorCall) => Promise<OperatorResponse>) => {
  const server = createServer(createAppWithCredentialReader(dependencies, () => operatorCredential));
  return async ({ method, path, body }) => {
    const [clientSide, serverSide] = duplexPair();
    server.emit('connection', serverSide);
    const headers = {
      host: 'localhost',
      connection: 'close',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<OperatorResponse>();
    const request = requestOver({ method, path, headers, createConnection: () => clientSide }, (response) => {
      const head = { status: response.statusCode ?? 0, headers: new Headers(headersOf(response.rawHeaders)) };
      text(response).then((content) => resolve({ ...head, text: content }), reject);
    });
    request.on('error', reject).end(body);
    return promise;
  };
};

const headersOf = (rawHeaders: readonly string[]): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
