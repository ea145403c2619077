import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';

/** A credential, and its location in a request. */
export interface ExpectedCredential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

/** A fake of a real API. */
export interface FakeApi {
  /** The real document, with the fake as its first server. */
  readonly document: JsonObject;
  readonly expectedCredential: ExpectedCredential | null;
}

/** One server for many APIs, each at its own path. */
export interface FakeApiServer {
  readonly addressOf: (name: string) => string;
  readonly add: (name: string, api: FakeApi) => void;
  readonly close: () => void;
}

/**
 * Starts a server that responds with a 200 and the called operation as `METHOD /path` if the request has the credential
 * and everything that the document requires. Otherwise, responds with a 400 and the problems, or with a 404 if the
 * document does not contain the operation.
 */
export const startFakeApiServer = async (): Promise<FakeApiServer> => {
  const apis = new Map<string, FakeApi>();
  const server = createServer((request, response) => {
    void respond(apis, request).then(([status, text]) => response.writeHead(status).end(text));
  });
  // Otherwise, a connection that is idle while a test computes for seconds would be closed at the moment it is reused.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    addressOf: (name) => `${baseUrl}/${name}`,
    add: (name, api) => void apis.set(name, api),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const respond = async (apis: ReadonlyMap<string, FakeApi>, request: IncomingMessage): Promise<[number, string]> => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, name = '', path = ''] = /^\/([^/]+)(.*)$/.exec(url.pathname) ?? [];
  let body = '';
  for await (const part of request) body += String(part);
  const api = apis.get(name);
  if (!api) return [404, 'no such API'];
  const match = operationAt(api.document, request.method ?? '', path);
  if (!match) return [404, `no operation ${request.method} ${path}`];
  const faults = [
    ...findCredentialFaults(api.expectedCredential, request, url),
    ...findRequirementFaults(api.document, match, request, url, body),
  ];
  return faults.length === 0 ? [200, `${request.method} ${match.path}`] : [400, faults.join('; ')];
};

interface OperationMatch {
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** Returns the matching operation with the fewest placeholders in its path. */
const operationAt = ({ paths }: JsonObject, method: string, path: string): OperationMatch | null => {
  const candidates = Object.entries(paths as JsonObject).flatMap(([template, item]) => {
    const [literalPath = ''] = template.split('#');
    const pattern = literalPath.split(/\{[^{}]+\}/).map((text) => text.replace(/[^\w/]/g, '\\$&'));
    const operation = isJsonObject(item) ? item[method.toLowerCase()] : undefined;
    const isMatch = new RegExp(`^/*${pattern.join('[^/]+').replace(/^\/+/, '')}$`).test(decodeURI(path));
    return isMatch && isJsonObject(item) && isJsonObject(operation) ? [{ path: template, item, operation }] : [];
  });
  return candidates.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0] ?? null;
};

const findCredentialFaults = (
  expected: ExpectedCredential | null,
  { headers }: IncomingMessage,
  url: URL,
): string[] => {
  if (!expected) return [];
  const { in: location, name, value } = expected;
  const cookies = (headers.cookie ?? '').split('; ');
  const isPresentIn = {
    header: () => headers[name.toLowerCase()] === value,
    query: () => url.searchParams.get(name) === value,
    cookie: () => cookies.includes(`${name}=${value}`),
  }[location]();
  return isPresentIn ? [] : [`no credential in the ${location} ${name}`];
};

const findRequirementFaults = (
  document: JsonObject,
  { item, operation }: OperationMatch,
  { headers }: IncomingMessage,
  url: URL,
  body: string,
): string[] => {
  const parameters = [item['parameters'], operation['parameters']].flatMap((list) =>
    list !== undefined && isJsonArray(list) ? list.map((parameter) => resolve(document, parameter)) : [],
  );
  const missingParameters = parameters
    .filter((parameter) => parameter['required'] === true)
    .map((parameter) => [textOf(parameter['in']), textOf(parameter['name'])] as const)
    .filter(([location, name]) => {
      if (location === 'query') return !url.searchParams.has(name);
      return (
        location === 'header' && !/^(accept|content-type)$/i.test(name) && headers[name.toLowerCase()] === undefined
      );
    })
    .map(([location, name]) => `no ${location} parameter ${name}`);
  const requestBody = resolve(document, operation['requestBody'] ?? {});
  return [...missingParameters, ...findBodyFaults(document, requestBody, body)];
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const findBodyFaults = (document: JsonObject, requestBody: JsonObject, body: string): string[] => {
  if (requestBody['required'] === true && body === '') return ['no body'];
  const json = (requestBody['content'] as JsonObject | undefined)?.['application/json'];
  if (!isJsonObject(json) || body === '') return [];
  const { required } = resolve(document, json['schema'] ?? {});
  const value = JSON.parse(body) as JsonObject;
  const names = required !== undefined && isJsonArray(required) ? required.map(String) : [];
  return names.filter((name) => !Object.hasOwn(value, name)).map((name) => `no ${name} in the body`);
};

/** Resolves a local reference. */
const resolve = (document: JsonObject, value: Json): JsonObject => {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference !== 'string') return isJsonObject(value) ? value : {};
  const names = reference.slice(2).split('/');
  const target = names.reduce<Json | undefined>(
    (parent, name) =>
      isJsonObject(parent) ? parent[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    document,
  );
  return target === undefined ? {} : resolve(document, target);
};
