import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';

/** One server for many APIs, each at its own path. */
export interface FakeApiServer {
  /** Adds a fake of a real API, and returns the document with the fake in place of all its servers. */
  readonly add: (name: string, document: JsonObject) => JsonObject;
  readonly close: () => void;
}

/** The value of the credential for a security scheme. */
export const credentialOf = (scheme: string): string => `credential-of-${scheme}`;

/** The path of servers that belong to a path or an operation, not to the document. */
const ownServerPath = '/own-server';

/**
 * Starts a server that responds with a 200 and the called operation as `METHOD /path` if the request is sent to the
 * operation's server with the credentials, and has everything that the document requires, in its media type. Otherwise,
 * responds with a 400 and the problems, or with a 404 if the document does not contain the operation.
 */
export const startFakeApiServer = async (): Promise<FakeApiServer> => {
  const apis = new Map<string, JsonObject>();
  const server = createServer((request, response) => {
    void respond(apis, request).then(([status, text]) => response.writeHead(status).end(text));
  });
  // Otherwise, a connection that is idle while a test computes for seconds would be closed at the moment it is reused.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    add: (name, document) => {
      apis.set(name, document);
      const fake = withServers(document, [{ url: `${baseUrl}/${name}${ownServerPath}` }]) as JsonObject;
      return { ...fake, servers: [{ url: `${baseUrl}/${name}` }] };
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Replaces the servers of all paths and operations. */
const withServers = (value: Json, servers: Json): Json => {
  if (isJsonArray(value)) return value.map((item) => withServers(item, servers));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'servers' && isJsonArray(member) ? servers : withServers(member, servers),
    ]),
  );
};

const respond = async (apis: ReadonlyMap<string, JsonObject>, request: IncomingMessage): Promise<[number, string]> => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, name = '', fullPath = ''] = /^\/([^/]+)(.*)$/.exec(url.pathname) ?? [];
  let body = '';
  for await (const part of request) body += String(part);
  const document = apis.get(name);
  if (!document) return [404, 'no such API'];
  const isOwnServer = fullPath.startsWith(`${ownServerPath}/`);
  const path = isOwnServer ? fullPath.slice(ownServerPath.length) : fullPath;
  const match = operationAt(document, request.method ?? '', path);
  if (!match) return [404, `no operation ${request.method} ${path}`];
  const hasOwnServer = [match.operation, match.item].some(({ servers }) => isJsonArray(servers) && servers.length > 0);
  const faults = [
    ...(hasOwnServer === isOwnServer ? [] : ['the wrong server']),
    ...findCredentialFaults(document, match.operation, request, url),
    ...findParameterFaults(document, match, request, url),
    ...findBodyFaults(document, resolve(document, match.operation['requestBody'] ?? {}), request, body),
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
    const [literalPath = ''] = template.split(/[#?]/);
    const pattern = literalPath.split(/\{[^{}]+\}/).map((text) => text.replace(/[^\w/]/g, '\\$&'));
    const operation = isJsonObject(item) ? item[method.toLowerCase()] : undefined;
    const isMatch = new RegExp(`^/*${pattern.join('[^/]+').replace(/^\/+/, '')}$`).test(decodeURI(path));
    return isMatch && isJsonObject(item) && isJsonObject(operation) ? [{ path: template, item, operation }] : [];
  });
  return candidates.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0] ?? null;
};

/** Requires all credentials of one of the alternatives. */
const findCredentialFaults = (
  document: JsonObject,
  operation: JsonObject,
  request: IncomingMessage,
  url: URL,
): string[] => {
  const security = operation['security'] ?? document['security'];
  if (security === undefined || !isJsonArray(security) || security.length === 0) return [];
  const schemes = (document['components'] as JsonObject)['securitySchemes'] as JsonObject;
  const isPresent = security.some((requirement) =>
    Object.keys(requirement as JsonObject).every((name) =>
      hasCredential(resolve(document, schemes[name] ?? {}), credentialOf(name), request, url),
    ),
  );
  return isPresent ? [] : [`no credentials of ${JSON.stringify(security)}`];
};

const hasCredential = (scheme: JsonObject, value: string, { headers }: IncomingMessage, url: URL): boolean => {
  const { type, in: location } = scheme;
  const name = textOf(scheme['name']);
  if (type === 'apiKey' && location === 'query') return url.searchParams.get(name) === value;
  if (type === 'apiKey' && location === 'cookie')
    return (headers.cookie ?? '').split('; ').includes(`${name}=${value}`);
  if (type === 'apiKey') return headers[name.toLowerCase()] === value;
  const prefix = type === 'http' && textOf(scheme['scheme']).toLowerCase() === 'basic' ? 'Basic' : 'Bearer';
  return headers.authorization === `${prefix} ${value}`;
};

const findParameterFaults = (
  document: JsonObject,
  { item, operation }: OperationMatch,
  { headers }: IncomingMessage,
  url: URL,
): string[] => {
  const parameters = [item['parameters'], operation['parameters']].flatMap((list) =>
    list !== undefined && isJsonArray(list) ? list.map((parameter) => resolve(document, parameter)) : [],
  );
  return parameters
    .filter((parameter) => parameter['required'] === true)
    .map((parameter) => [textOf(parameter['in']), textOf(parameter['name'])] as const)
    .filter(([location, name]) => {
      if (location === 'query') return !url.searchParams.has(name);
      return (
        location === 'header' && !/^(accept|content-type)$/i.test(name) && headers[name.toLowerCase()] === undefined
      );
    })
    .map(([location, name]) => `no ${location} parameter ${name}`);
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Requires a body in a media type of the document, with the required members of JSON and of forms. */
const findBodyFaults = (
  document: JsonObject,
  requestBody: JsonObject,
  { headers }: IncomingMessage,
  body: string,
): string[] => {
  const content = requestBody['content'];
  if (!isJsonObject(content)) return [];
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (body === '') return requestBody['required'] === true ? ['no body'] : [];
  const mediaType = Object.entries(content).find(([name]) => name.split(';')[0] === type)?.[1];
  if (!isJsonObject(mediaType)) return [`a body of the type ${type}`];
  const { required } = resolve(document, mediaType['schema'] ?? {});
  const names = required !== undefined && isJsonArray(required) ? required.map(String) : [];
  const hasMember = readMembers(type, body);
  return names.filter((name) => !hasMember(name)).map((name) => `no ${name} in the body`);
};

const readMembers = (type: string, body: string): ((name: string) => boolean) => {
  if (type.endsWith('json')) {
    const value = JSON.parse(body) as JsonObject;
    return (name) => Object.hasOwn(value, name);
  }
  if (type.startsWith('multipart/')) return (name) => body.includes(`form-data; name="${name}"`);
  const fields = [...new URLSearchParams(body).keys()];
  return (name) => fields.some((field) => field === name || field.startsWith(`${name}[`));
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
