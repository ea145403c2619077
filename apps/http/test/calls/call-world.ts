import { afterAll, beforeAll, expect } from 'vitest';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Reply } from '../reply.ts';
import { expectStatus, textOf, type Client, type Start } from '../subject.ts';
import type { CredentialKind } from './credential-kinds.ts';
import { startHostileApi, type HostileApi } from './hostile-api.ts';

const mcpRevision = '2026-07-28';
const any = { description: 'It' };
const text = { type: 'string' };

const parameters = [
  { name: 'id', in: 'path', required: true, schema: text },
  { name: 'q', in: 'query', schema: text },
  { name: 'filter', in: 'query', style: 'form', explode: true, schema: { type: 'object' } },
  { name: 'X-Trace', in: 'header', schema: text },
  { name: 'Host', in: 'header', schema: text },
  { name: 'X-HTTP-Method-Override', in: 'header', schema: text },
  { name: 'settings', in: 'cookie', style: 'form', explode: true, schema: { type: 'object' } },
];

/** The paths of the API that is called. */
export const paths = {
  '/items/{id}': {
    put: {
      operationId: 'putItem',
      parameters,
      requestBody: { content: { 'text/plain': { schema: text } } },
      responses: { 200: any },
    },
    get: { operationId: 'getItem', parameters: parameters.slice(0, 1), responses: { 200: any } },
  },
};

export interface CallTarget {
  readonly id: string;
  readonly client: Client;
  /** The keys of the operations, by operation id. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The result of a call, as the caller reads it. */
export interface Outcome {
  readonly reply: Reply;
  /** The members of the result; those of the error if there is none. */
  readonly result: Readonly<Record<string, unknown>>;
}

export type SendCall = (target: CallTarget, args?: object, fields?: object, options?: CallOptions) => Promise<Outcome>;

/** Provides a service without limits, and a hostile API. */
export const provideCallWorld = (start: Start) => {
  const provided = provideSubject(start, {
    settings: { callLimit: null, defaultLimit: { allowed: 1_000_000, windowSeconds: 60 } },
  });
  const { call, asAdmin, fixtures } = provided;
  let api: HostileApi;
  beforeAll(async () => {
    api = await startHostileApi();
  });
  afterAll(() => api.close());

  const create = async ({ scheme, input }: CredentialKind): Promise<CallTarget> => {
    const client = await fixtures.newClient();
    const definition: object = typeof scheme === 'function' ? scheme(`${api.url}/token`) : scheme;
    const openapi_spec = {
      ...{ openapi: '3.0.3', info: { title: 'Items', version: '1' }, servers: [{ url: `${api.url}/v1` }], paths },
      ...{ components: { securitySchemes: { it: definition } }, security: [{ it: [] }] },
    };
    const id = await fixtures.newCollection({ openapi_spec });
    expectStatus(await fixtures.grant(client, id), 201);
    expectStatus(await asAdmin('PUT', `/api/collections/${id}/credentials/it`, input), 200);
    const { list } = await asAdmin('GET', `/api/collections/${id}/operations`);
    const keys = Object.fromEntries(list.map((line) => [textOf(line['operation_id']), textOf(line['operation_key'])]));
    return { id, client, keys };
  };

  const callByRest: SendCall = async ({ id, client, keys }, args = { id: '7' }, fields = {}, options = {}) => {
    const path = `/api/collections/${id}/operations/${keys['putItem']}/call`;
    const reply = await call('POST', path, { key: client.key, json: { arguments: args, ...fields }, ...options });
    return { reply, result: reply.body };
  };
  const callByMcp: SendCall = async ({ id, client, keys }, args = { id: '7' }, fields = {}) => {
    const tool = { collection_id: id, operation_key: keys['putItem'], arguments: args, ...fields };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': mcpRevision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'call_operation', arguments: tool, _meta: meta };
    const reply = await call('POST', '/mcp', {
      key: client.key,
      headers: ['Mcp-Protocol-Version', mcpRevision, 'Mcp-Method', 'tools/call', 'Mcp-Name', 'call_operation'],
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    const { content } = (reply.body.result ?? {}) as { readonly content?: readonly { readonly text: string }[] };
    const resultText = content?.map(({ text: part }) => part).join('\n') ?? reply.text;
    return {
      reply,
      result: resultText.startsWith('{')
        ? (JSON.parse(resultText) as object as Outcome['result'])
        : { detail: resultText },
    };
  };
  const ways: readonly (readonly [name: string, send: SendCall])[] = [
    ['REST', callByRest],
    ['MCP', callByMcp],
  ];

  /** Asserts that neither the log nor the audit log has one of the secrets. */
  const expectUnrecorded = async ({ id }: CallTarget, secrets: readonly string[]): Promise<void> => {
    const audit = await asAdmin('GET', `/api/audit/?source=system&collection_id=${id}&limit=1000`);
    expect(audit.text).toContain('collection.call');
    const texts = { audit: audit.text, log: provided.subject.listLogLines().join('\n') };
    for (const [name, recordedText] of Object.entries(texts))
      for (const secret of secrets) expect(recordedText.includes(secret), `${name}: ${secret}`).toBe(false);
  };

  return {
    ...provided,
    get api() {
      return api;
    },
    create,
    callByRest,
    callByMcp,
    ways,
    expectUnrecorded,
  };
};

export type CallWorld = ReturnType<typeof provideCallWorld>;
