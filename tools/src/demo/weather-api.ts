import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A fake of the weather sample's API, whose own URL never responds. */
export interface WeatherApi {
  /** The base URL, for the document's `servers`. */
  readonly baseUrl: string;
  readonly credential: string;
  readonly close: () => void;
}

const credential = 'nimbara-demo-key';

/**
 * Starts the fake API on this machine. It has one operation, `GET /forecast/hourly`, and rejects calls without the
 * credential.
 */
export const startWeatherApi = async (): Promise<WeatherApi> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const respond = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (searchParams.get('app_key') !== credential) return respond(401, { error: 'Wrong app_key' });
    if (request.method !== 'GET' || pathname !== '/v2/forecast/hourly') return respond(404, { error: 'No such path' });
    if (!searchParams.get('lat') || !searchParams.get('lon'))
      return respond(400, { error: 'lat and lon are required' });
    return respond(200, [{ time: '2026-07-01T09:00:00Z', temperature: 17.5, rain_probability: 0.8, sky: 'rain' }]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${port}/v2`, credential, close };
};
