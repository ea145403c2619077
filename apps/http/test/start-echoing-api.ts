import { createServer } from 'node:http';
import { LoopbackServer } from '@portico/test-servers';

/** Starts an API that responds with the request that it received, as JSON. */
export const startEchoingApi = async () => {
  const server = await LoopbackServer.start(
    createServer(({ method, url, rawHeaders }, response) => {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ method, url, headers: rawHeaders }));
    }),
  );
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.stop() };
};
