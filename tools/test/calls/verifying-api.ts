import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DocumentSchemas } from '../../src/calls-check/document-schemas.ts';
import { listAt, memberAt, objectAt, parseJsonText, stringAt } from '../../src/calls-check/json-text.ts';
import type { ArrivedRequest } from '../../src/calls-echo/echo-server.ts';
import { extractOperation } from '../../src/calls-echo/operation-document.ts';
import { startRequestValidator, type HasCredential, type Validation } from '../../src/calls-echo/request-validator.ts';

/** The credentials of an API. */
export interface ApiSecrets {
  /** By scheme: the text of the header, without its prefix, or of the query parameter. */
  readonly values: Readonly<Record<string, string>>;
  /** Expected of each request to an API whose document names no credential. */
  readonly bearer?: string;
  /** An OAuth client, as `id:secret`. The authorization server issues it the access token in `values`. */
  readonly client?: string;
}

interface Verdict {
  readonly validation: Validation;
  /** Whether the request has one of the secrets. */
  readonly hasSecret: boolean;
}

/** One server for many APIs, each at its own path. */
export interface VerifyingApi {
  readonly add: (name: string, documentText: string, secrets: ApiSecrets) => { readonly baseUrl: string };
  /** Names the operation that the next request has to call. */
  readonly expect: (name: string, method: string, path: string) => void;
  /** Returns the verdicts on the requests that arrived since the last call. */
  readonly takeVerdicts: () => readonly Verdict[];
  /** The responses, which reflect the credentials. */
  readonly reflections: readonly string[];
  readonly close: () => Promise<void>;
}

interface Api {
  readonly schemas: DocumentSchemas;
  readonly secrets: ApiSecrets;
}

/** A path of the authorization server, as in the documents. */
const tokenPath = '/v1/oauth2/token';

/**
 * Starts a server that validates each request by the document of its API, with its credentials, and returns the example
 * of the document together with everything that it received, encoded in several ways.
 */
export const startVerifyingApi = async (): Promise<VerifyingApi> => {
  const apis = new Map<string, Api>();
  const reflections: string[] = [];
  let verdicts: Verdict[] = [];
  let expected = { name: '', method: '', path: '' };
  const validator = await startRequestValidator((request, scheme, declaration) =>
    hasCredential(apis.get(expected.name)?.secrets.values[scheme], request, declaration),
  );
  const validate = async (api: Api, name: string, request: ArrivedRequest): Promise<Validation> => {
    if (name !== expected.name || request.method !== expected.method)
      return { kind: 'invalid', reason: `another API or method: ${request.method} ${request.target}` };
    const { bearer } = api.secrets;
    const authorization = request.headers.find(([header]) => header === 'authorization')?.[1];
    if (bearer !== undefined && authorization !== `Bearer ${bearer}`)
      return { kind: 'invalid', reason: 'no bearer token' };
    return validator.validate(extractOperation(api.schemas, expected.method, expected.path), request);
  };
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await toArrivedRequest(incoming);
    if (request.target === tokenPath) return sendToken(request, response, [...apis.values()]);
    const [, name = ''] = request.target.split(/[/?]/);
    const api = apis.get(name);
    if (!api) return void response.writeHead(404).end();
    const texts = Object.values(api.secrets.values).concat(api.secrets.bearer ?? []);
    const received = [decodeURIComponent(request.target.replaceAll('+', ' ')), ...request.headers.flat()].join('\n');
    const hasSecret = texts.some((text) => received.includes(text) || received.includes(`Basic ${toBase64(text)}`));
    const validation = await validate(api, name, request);
    verdicts.push({ validation, hasSecret });
    const reflection = JSON.stringify(reflect(request, exampleOf(api.schemas, expected.method, expected.path)));
    const authorization = request.headers.find(([header]) => header === 'authorization')?.[1] ?? '';
    const headers = { 'X-Request-Id': `for ${authorization}`, Link: `<${request.target}>; rel="next"` };
    reflections.push(JSON.stringify(headers) + reflection);
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(reflection);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    add: (name, documentText, secrets) => {
      apis.set(name, { schemas: new DocumentSchemas(parseJsonText(documentText)), secrets });
      return { baseUrl: `${baseAddress}/${name}` };
    },
    expect: (name, method, path) => void (expected = { name, method, path }),
    takeVerdicts: () => {
      const lastVerdicts = verdicts;
      verdicts = [];
      return lastVerdicts;
    },
    reflections,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await validator.close();
    },
  };
};

const toArrivedRequest = async (request: IncomingMessage): Promise<ArrivedRequest> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  );
  return { method, target: url, headers, body: Buffer.concat(chunks) };
};

/** Whether a request has a secret exactly where the document declares it. */
const hasCredential = (
  secret: string | undefined,
  { headers, query }: Parameters<HasCredential>[0],
  { type, in: location, name, scheme }: Parameters<HasCredential>[2],
): boolean => {
  if (secret === undefined) return false;
  if (type === 'apiKey' && location === 'query') return query[String(name)] === secret;
  if (type === 'apiKey') return headers[String(name).toLowerCase()] === secret;
  const isBasic = type === 'http' && String(scheme).toLowerCase() === 'basic';
  return headers.authorization === (isBasic ? `Basic ${toBase64(secret)}` : `Bearer ${secret}`);
};

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

const sendToken = (request: ArrivedRequest, response: ServerResponse, apis: readonly Api[]): void => {
  const authorization = request.headers.find(([name]) => name === 'authorization')?.[1];
  const api = apis.find(({ secrets: { client } }) => client && authorization === `Basic ${toBase64(client)}`);
  if (!api) return void response.writeHead(401).end('{"error": "invalid_client"}');
  const [accessToken] = Object.values(api.secrets.values);
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ access_token: accessToken, token_type: 'Bearer', expires_in: 3_600 }));
};

/** Everything that was received, in the encodings that servers use. */
const reflect = ({ target, headers, body }: ArrivedRequest, example: unknown): object => {
  const credentials = headers.filter(([name]) => !/^(host|connection|content-|accept|user-agent)/.test(name));
  const lines = credentials.map(([name, value]) => `${name}: ${value}`).join('\n');
  const basic = credentials.map(([, value]) => Buffer.from(value.replace(/^Basic /, ''), 'base64').toString('latin1'));
  return {
    error: `Rejected ${target}`,
    query: [...new URLSearchParams(target.split('?')[1])],
    headers: Object.fromEntries(credentials),
    decoded: basic,
    base64: [0, 1, 2].map((shift) => toBase64('x'.repeat(shift) + lines)),
    base64url: Buffer.from(`${lines}\n${decodeURIComponent(target)}`).toString('base64url'),
    hex: Buffer.from(lines + target).toString('hex'),
    percent: encodeURIComponent(lines + target),
    html: `<p>${lines.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p>`,
    body: body.toString('latin1').slice(0, 1_000),
    example,
  };
};

/** Returns the first example of a success in the document; null if there is none. */
const exampleOf = (schemas: DocumentSchemas, method: string, path: string): unknown => {
  const pathItem = schemas.resolve(memberAt(memberAt(schemas.root, 'paths'), path)).value;
  const operation = schemas.resolve(memberAt(pathItem, method.toLowerCase())).value;
  const successes = Object.entries(objectAt(operation, 'responses') ?? {}).filter(([status]) => /^2/.test(status));
  for (const [, success] of successes) {
    const content = objectAt(schemas.resolve(success).value, 'content') ?? {};
    for (const mediaType of Object.values(content)) {
      const [first] = Object.values(objectAt(mediaType, 'examples') ?? {});
      const example = memberAt(mediaType, 'example') ?? memberAt(schemas.resolve(first).value, 'value');
      const text = example === undefined ? '' : JSON.stringify(example);
      if (text !== '' && text.length < 10_000) return example;
    }
  }
  return listAt(operation, 'tags')[0] ?? stringAt(operation, 'operationId');
};
