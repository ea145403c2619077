import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { EgressSubject, UpstreamBehavior, UpstreamRequest } from '@portico/contracts';
import { createEgress, type ClosableEgress } from '../src/index.ts';

export interface SubjectSource {
  /** Returns a new egress for the same server, which has received no requests yet. */
  create(): EgressSubject;
  close(): Promise<void>;
}

/** Starts a server for the contract, which listens on 127.0.0.1 and 127.0.0.2. Only the first address is allowed. */
export const startSubjectSource = async (): Promise<SubjectSource> => {
  let behavior: UpstreamBehavior = { kind: 'silence' };
  let requests: UpstreamRequest[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body });
      if (behavior.kind === 'response') {
        response.writeHead(behavior.status, [...behavior.headers]).end(behavior.body);
      } else if (behavior.kind === 'close') {
        request.socket.destroy();
      } else if (behavior.kind === 'noise') {
        request.socket.end(`s3cret ${path}`);
      }
    });
  });
  const port = await listen(server);
  const egresses: ClosableEgress[] = [];
  return {
    create: () => {
      behavior = { kind: 'silence' };
      requests = [];
      const egress = createEgress({ networks: ['127.0.0.1'] });
      egresses.push(egress);
      return {
        egress,
        origin: `http://127.0.0.1:${port}`,
        refusedOrigin: `http://127.0.0.2:${port}`,
        get requests() {
          return requests;
        },
        setBehavior: (nextBehavior) => {
          behavior = nextBehavior;
        },
      };
    },
    close: async () => {
      await Promise.all(egresses.map((egress) => egress.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return (server.address() as AddressInfo).port;
};
