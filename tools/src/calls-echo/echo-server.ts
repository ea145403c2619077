import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface ArrivedRequest {
  readonly method: string;
  /** The raw target, such as `/pets?limit=1`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface EchoServer {
  readonly address: string;
  readonly port: number;
  /** Returns the requests that arrived since the last call. */
  readonly takeRequests: () => readonly ArrivedRequest[];
  readonly close: () => Promise<void>;
}

/** Starts a server on the loopback interface that records each request and answers 200. */
export async function startEchoServer(): Promise<EchoServer> {
  let requests: ArrivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      const headers = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
      );
      requests.push({ method, target: url, headers, body: Buffer.concat(chunks) });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    takeRequests: () => {
      const arrivedRequests = requests;
      requests = [];
      return arrivedRequests;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
