import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { unknownId, type Client, type Start } from '../subject.ts';
import { clients, type McpClient } from './mcp-clients.ts';

const operation = (summary: string, extraFields: object = {}) => ({
  summary,
  responses: { '200': { description: 'Done' } },
  ...extraFields,
});
/** More parameters than fit into a limit below 64 KB. */
const optional = Array.from({ length: 500 }, (_, i) => [
  `option_${i}`,
  { type: 'string', description: 'x'.repeat(60) },
]);
const message = {
  type: 'object',
  required: ['to', 'text'],
  properties: { to: { type: 'string' }, text: { type: 'string' }, ...(Object.fromEntries(optional) as object) },
};
const messages = {
  openapi: '3.0.3',
  info: { title: 'Tonwire', version: '1' },
  servers: [{ url: 'https://tonwire.example/v1' }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{ token: [] }],
  paths: {
    '/messages': {
      post: operation('Send a text message', {
        requestBody: { required: true, content: { 'application/json': { schema: message } } },
      }),
      get: { operationId: 'listMessages', deprecated: true, responses: {} },
    },
    '/invoices/{id}': {
      get: operation('Get an invoice', { parameters: [{ name: 'id', in: 'path', required: true }] }),
    },
  },
};
const secret = 'upstream-token-of-tonwire';

interface OperationSummary {
  readonly collection_id: string;
  readonly operation_key: string;
  readonly method: string;
  readonly path: string;
  readonly deprecated: boolean;
  readonly score: number;
}

/** Tests the tools for operations, through each official client. */
export const operationsSuite = (start: Start): void => {
  const { subject, fixtures } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let client: Client;
  let tonwire: string;
  let hidden: string;

  beforeAll(async () => {
    client = await fixtures.newClient();
    const authentication = { type: 'bearer', value: secret };
    tonwire = await fixtures.newCollection({ name: 'Tonwire', openapi_spec: messages, authentication });
    hidden = await fixtures.newCollection({ name: 'Hidden messenger', openapi_spec: messages });
    await fixtures.grant(client, tonwire);
    await subject.runJobs();
  });

  describe.each(Object.entries(clients))('%s', (_revision, connect) => {
    let mcp: McpClient;
    beforeAll(async () => {
      const headers = { 'X-Client-ID': client.key.clientId, 'X-API-Key': client.key.secret };
      mcp = await connect(subject.client.baseUrl, headers);
    });
    afterAll(() => mcp.close());

    const search = async (args: object) => {
      const { text, data, isError } = await mcp.call('search_operations', { ...args });
      expect([isError, text]).toEqual([false, text]);
      const operations = data?.['operations'] as readonly OperationSummary[];
      return { text, operations, confidence: data?.['confidence'] };
    };

    test('search_operations returns operations with a confidence', async () => {
      const { text, operations, confidence } = await search({ query: 'send a text message' });
      expect(operations[0]).toMatchObject({
        collection_id: tonwire,
        collection_name: 'Tonwire',
        method: 'POST',
        path: '/messages',
        summary: 'Send a text message',
        deprecated: false,
      });
      expect(confidence).toMatch(/probably right|more likely right than not|Not sure|No good match/);
      expect(text).not.toContain(hidden);
    });

    test('an operation without summary and description is shown with its id, and marked if deprecated', async () => {
      const { operations } = await search({ query: 'list messages', method: 'GET' });
      expect(operations).toContainEqual(
        expect.objectContaining({ path: '/messages', summary: 'listMessages', deprecated: true }),
      );
    });

    test('search_operations asks for English', async () => {
      const tool = (await mcp.listTools()).find(({ name }) => name === 'search_operations');
      expect(JSON.stringify(tool)).toContain('One task, in English, ');
    });

    test('search_operations can be limited to one API, to one method, ignoring case, and to a number of results', async () => {
      expect(
        (await search({ query: 'text messages', method: 'get' })).operations.map(({ method }) => method),
      ).not.toContain('POST');
      expect((await search({ query: 'send a text message', limit: 1 })).operations).toHaveLength(1);
      expect((await search({ query: 'send a text message', collection_id: tonwire })).operations[0]?.path).toBe(
        '/messages',
      );
    });

    test('search_operations reports if nothing matches, and returns nothing without a grant', async () => {
      const { confidence, operations } = await search({ query: 'send a text message', collection_id: hidden });
      expect([operations, confidence]).toEqual([
        [],
        expect.stringMatching(/^None of the operations that you may use matches\./),
      ]);
    });

    test('describe_operation explains a call within 8 KB, and lists the truncated parts', async () => {
      const { operations } = await search({ query: 'send a text message', limit: 1 });
      const args = { collection_id: tonwire, operation_key: operations[0]?.operation_key };
      const { texts, text } = await mcp.call('describe_operation', args);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
      expect(JSON.parse(texts[0] ?? '')).toMatchObject({
        method: 'POST',
        url: 'https://tonwire.example/v1/messages',
        request_body: { required: true, content_type: 'application/json' },
        authentication: [[{ scheme: 'token', type: 'bearer', stored: true }]],
      });
      expect(texts[1]).toMatch(/"truncated".*max_bytes/);
      const fullResult = await mcp.call('describe_operation', { ...args, detail: 'full', max_bytes: 65_536 });
      expect(fullResult.text.length).toBeGreaterThan(30_000);
      expect(fullResult.texts).toHaveLength(1);
      expect(text + fullResult.text).not.toContain(secret);
    });

    test('prepare_call turns arguments into a request, or names the invalid ones', async () => {
      const { operations } = await search({ query: 'send a text message', limit: 1 });
      const operationArgs = { collection_id: tonwire, operation_key: operations[0]?.operation_key };
      const { text, isError } = await mcp.call('prepare_call', {
        ...operationArgs,
        arguments: { to: '+1', text: 'Hello' },
      });
      expect([isError, JSON.parse(text)]).toMatchObject([
        false,
        {
          method: 'POST',
          url: 'https://tonwire.example/v1/messages',
          headers: [['Content-Type', 'application/json']],
          body: { text: '{"to":"+1","text":"Hello"}' },
          credentials: [{ in: 'header', name: 'Authorization', prefix: 'Bearer ', stored: true }],
        },
      ]);
      expect(text).not.toContain(secret);
      const rejection = await mcp.call('prepare_call', { ...operationArgs, arguments: { to: 1, text: 'Hello' } });
      expect([rejection.isError, rejection.text]).toEqual([
        true,
        'Invalid arguments: /to must be a string. Call again with valid ones.',
      ]);
    });

    test.each<[string, () => object, RegExp]>([
      ['of an unknown API', () => ({ collection_id: unknownId, operation_key: 'a'.repeat(16) }), /no API with this/],
      ['of an API without a grant', () => ({ collection_id: hidden, operation_key: 'a'.repeat(16) }), /no access/],
      [
        'that does not exist',
        () => ({ collection_id: tonwire, operation_key: 'a'.repeat(16) }),
        /no such operation.*Search/,
      ],
      [
        'within too few bytes',
        () => ({ collection_id: tonwire, operation_key: 'a'.repeat(16), max_bytes: 1_023 }),
        /max_bytes/,
      ],
    ])('an operation %s is rejected with instructions', async (_case, argsOf, expectedText) => {
      const { text, isError } = await mcp.call('describe_operation', { ...argsOf() });
      expect([isError, text]).toEqual([true, expect.stringMatching(expectedText)]);
    });

    test('a revoked API disappears from both tools immediately', async () => {
      const { operations } = await search({ query: 'send a text message' });
      const [bestMatch] = operations;
      await fixtures.revoke(client, tonwire);
      try {
        expect((await search({ query: 'send a text message' })).operations).toEqual([]);
        const args = { collection_id: tonwire, operation_key: bestMatch?.operation_key };
        const { text, isError } = await mcp.call('describe_operation', args);
        expect([isError, text]).toEqual([true, expect.stringMatching(/no access/)]);
      } finally {
        await fixtures.grant(client, tonwire);
      }
    });
  });
};
