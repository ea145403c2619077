import { beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, type Start } from '../subject.ts';

const operation = (operationId: string, summary: string, extraFields: object = {}) => ({
  operationId,
  summary,
  responses: { 200: { description: 'Done' } },
  ...extraFields,
});

const messagingDocument = {
  ...smallDocument,
  info: { title: 'Messages', version: '1' },
  paths: {
    '/messages': {
      post: operation('sendMessage', 'Send a text message to a phone', { tags: ['sending'] }),
      get: operation('listMessages', 'List the messages that were sent', { tags: ['reading'] }),
    },
    '/messages/{id}': {
      get: operation('readMessage', 'Read one message', { tags: ['reading'], deprecated: true }),
      delete: operation('deleteMessage', 'Delete a message'),
    },
    '/balance_100%': { get: operation('readBalance', 'Read the balance of the account') },
  },
};
const weather = {
  ...smallDocument,
  paths: { '/forecast': { get: operation('readForecast', 'Read the weather forecast of a city') } },
};

const everyLanguage = 'curl python javascript typescript go java csharp php ruby powershell'.split(' ');

/** Tests listing, reading and searching operations. */
export const operationsSuite = (start: Start): void => {
  const { subject, fixtures, call, pages } = provideSubject(start);
  let messages: string;
  let forecasts: string;
  let orders: string;
  const listOperations = (id: string, query = '', credential: CallOptions = { token: fixtures.admin }) =>
    call('GET', `/api/collections/${id}/operations${query}`, credential);
  const search = (json: object, credential: CallOptions = { token: fixtures.admin }) =>
    call('POST', '/api/operations/search', { json, ...credential });
  const operationIdsOf = (reply: { readonly list: readonly Readonly<Record<string, unknown>>[] }) =>
    reply.list.map(({ operation_id }) => operation_id);

  beforeAll(async () => {
    messages = await fixtures.newCollection({ name: 'Messages', openapi_spec: messagingDocument });
    forecasts = await fixtures.newCollection({ name: 'Weather', openapi_spec: weather });
    orders = await fixtures.newCollection({
      name: 'Orders',
      openapi_spec: shopDocument,
      authentication: { type: 'apiKey', name: 'X-Shop-Key', value: 'the-key-of-the-shop' },
    });
    await subject.runJobs();
  });

  describe('a list', () => {
    test('has the operations in the order of the document, immediately', async () => {
      const id = await fixtures.newCollection({ openapi_spec: messagingDocument });
      const reply = await listOperations(id);
      expect(reply.status).toBe(200);
      expect(operationIdsOf(reply)).toEqual([
        'sendMessage',
        'listMessages',
        'readMessage',
        'deleteMessage',
        'readBalance',
      ]);
      expect(reply.list[2]).toEqual({
        operation_key: expect.stringMatching(/^[a-z2-7]{16}$/) as string,
        method: 'GET',
        path: '/messages/{id}',
        operation_id: 'readMessage',
        summary: 'Read one message',
        tags: ['reading'],
        deprecated: true,
        call: 'allowed',
      });
    });

    test('has pages, and following their links returns all operations', async () => {
      const replies = await pages(`/api/collections/${messages}/operations?limit=2`);
      expect([replies.length, replies.flatMap(operationIdsOf)]).toEqual([
        3,
        operationIdsOf(await listOperations(messages)),
      ]);
    });

    test('can be filtered by a tag or a substring, also with pages', async () => {
      expect(operationIdsOf(await listOperations(messages, '?tag=reading'))).toEqual(['listMessages', 'readMessage']);
      expect(operationIdsOf(await listOperations(messages, '?tag=read'))).toEqual([]);
      expect(operationIdsOf(await listOperations(messages, '?q=MESSAGE'))).toHaveLength(4);
      expect(operationIdsOf(await listOperations(messages, '?q=deletem'))).toEqual(['deleteMessage']);
      expect(operationIdsOf(await listOperations(messages, '?q=%2F%7Bid%7D&tag=reading'))).toEqual(['readMessage']);
      // These characters have a special meaning in patterns.
      expect(operationIdsOf(await listOperations(messages, '?q=100%25'))).toEqual(['readBalance']);
      expect(operationIdsOf(await listOperations(messages, '?q=messages_'))).toEqual([]);
      expect(operationIdsOf(await listOperations(messages, '?q=!'))).toEqual([]);
      const replies = await pages(`/api/collections/${messages}/operations?q=message&limit=3`);
      expect(replies.map(operationIdsOf)).toEqual([['sendMessage', 'listMessages', 'readMessage'], ['deleteMessage']]);
    });

    test('is sent only if it has changed', async () => {
      const { headers } = await listOperations(messages);
      const repeatedReply = await listOperations(messages, '', {
        token: fixtures.admin,
        headers: ['If-None-Match', textOf(headers.etag ?? '')],
      });
      expect([repeatedReply.status, repeatedReply.text]).toEqual([304, '']);
    });

    test('changes with the document, and a key is stable as long as method and path are the same', async () => {
      const id = await fixtures.newCollection({ openapi_spec: messagingDocument });
      const [operationBefore] = (await listOperations(id)).list;
      const paths = { '/messages': { post: operation('send', 'Sends') }, '/new': { get: operation('other', 'Other') } };
      await call('PUT', `/api/collections/${id}`, {
        token: fixtures.admin,
        json: { openapi_spec: { ...messagingDocument, paths } },
      });
      const after = await listOperations(id);
      expect(operationIdsOf(after)).toEqual(['send', 'other']);
      expect(after.list[0]?.operation_key).toBe(operationBefore?.operation_key);
    });

    test.each(['?limit=0', '?limit=1001', '?limit=1.5', '?cursor=-1', '?cursor=100000', `?tag=${'x'.repeat(201)}`])(
      'rejects %s',
      async (query) => {
        const reply = await listOperations(messages, query);
        expect([reply.status, textOf(reply.body.detail).startsWith('Invalid query parameter: ')]).toEqual([400, true]);
      },
    );

    test('is shown only to callers that may read the collection', async () => {
      const client = await fixtures.newClient();
      expect((await listOperations(messages, '', { key: client.key })).body).toEqual({
        detail: 'No access to this collection',
      });
      await fixtures.grant(client, messages);
      expect((await listOperations(messages, '', { key: client.key })).list).toHaveLength(5);
      await fixtures.revoke(client, messages);
      expect((await listOperations(messages, '', { key: client.key })).status).toBe(403);
    });
  });

  describe('a slice', () => {
    const keyOf = async (id: string, name: string) =>
      textOf((await listOperations(id)).list.find(({ operation_id }) => operation_id === name)?.operation_key);
    const slice = (id: string, key: string, query = '', credential: CallOptions = { token: fixtures.admin }) =>
      call('GET', `/api/collections/${id}/operations/${key}${query}`, credential);

    test('has everything that is needed for a call', async () => {
      const reply = await slice(orders, await keyOf(orders, 'placeOrder'));
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        collection_id: orders,
        collection_name: 'Orders',
        method: 'POST',
        url: 'https://shop.example.com/v2/orders/{shop}',
        path: '/orders/{shop}',
        operation_id: 'placeOrder',
        summary: 'Place an order',
        deprecated: false,
        authentication: [[{ scheme: null, type: 'apiKey', name: 'X-Shop-Key', in: 'header', stored: true }]],
        responses: { 201: { description: 'Placed' } },
        truncated: [],
      });
      expect(reply.body.parameters).toMatchObject([{ name: 'shop', in: 'path', required: true }]);
      expect(reply.text).toContain('"quantity":{"type":"integer","minimum":1}');
      expect(reply.text).not.toContain('$ref');
      expect(reply.body.curl).toMatch(/^curl -X POST 'https:\/\/shop\.example\.com\/v2\/orders\/SHOP' /);
      expect(reply.text).not.toContain('the-key-of-the-shop');
    });

    test('has the schema of the first successful response on request', async () => {
      const key = await keyOf(orders, 'placeOrder');
      expect((await slice(orders, key)).text).not.toContain('"number"');
      expect((await slice(orders, key, '?detail=full')).text).toContain('"number"');
    });

    test('fits into the requested size, and lists the truncated parts', async () => {
      const key = await keyOf(orders, 'placeOrder');
      const smallSlice = await slice(orders, key, '?max_bytes=1024&detail=full');
      expect(smallSlice.body.truncated).toContainEqual(expect.objectContaining({ reason: 'budget' }));
      expect(Buffer.byteLength(smallSlice.text)).toBeLessThanOrEqual(1_024);
      expect(smallSlice.body.truncated).not.toEqual([]);
      expect((await slice(orders, key, '?max_bytes=262144')).body.truncated).toEqual([]);
      for (const bytes of [1_023, 262_145]) expect((await slice(orders, key, `?max_bytes=${bytes}`)).status).toBe(400);
    });

    test('fits into the largest power of two that does not exceed the requested size', async () => {
      const key = await keyOf(orders, 'placeOrder');
      const tagOf = async (query: string) => (await slice(orders, key, query)).headers.etag;
      const [exactReply, largerReply, nextReply] = [1_024, 2_047, 2_048].map((bytes) =>
        slice(orders, key, `?max_bytes=${bytes}&detail=full`),
      );
      expect(Buffer.byteLength((await largerReply)?.text ?? '')).toBeLessThanOrEqual(1_024);
      expect((await largerReply)?.headers.etag).toBe((await exactReply)?.headers.etag);
      expect((await nextReply)?.headers.etag).not.toBe((await exactReply)?.headers.etag);
      expect(await tagOf('?max_bytes=262144')).not.toBe(await tagOf('?max_bytes=262143'));
      expect(await tagOf('?as=openapi&max_bytes=262144')).toBe(await tagOf('?as=openapi'));
    });

    test('can be a function tool, or an OpenAPI document', async () => {
      const key = await keyOf(orders, 'placeOrder');
      const tool = await slice(orders, key, '?as=tool');
      expect(tool.body).toMatchObject({
        name: expect.stringMatching(/^placeOrder_[a-z0-9]{10}$/) as string,
        input_schema: { type: 'object', properties: { shop: { 'x-portico-in': 'path' } } },
        request: { method: 'POST', url: 'https://shop.example.com/v2/orders/{shop}', content_type: 'application/json' },
      });
      const document = await slice(orders, key, '?as=openapi');
      expect(document.body).toMatchObject({ openapi: '3.0.3', paths: { '/orders/{shop}': { post: {} } } });
      expect(document.text).toContain('"$ref":"#/components/schemas/Order"');
      expect(document.text).not.toContain('Unused');
    });

    test('becomes a request with the arguments of the tool', async () => {
      const prepare = async (args: object) => {
        const path = `/api/collections/${orders}/operations/${await keyOf(orders, 'placeOrder')}/prepare`;
        return call('POST', path, { token: fixtures.admin, json: { arguments: args } });
      };
      const reply = await prepare({ shop: 'a/b', lines: [{ sku: 'x', quantity: '2' }] });
      expect([reply.status, reply.body]).toEqual([
        200,
        {
          method: 'POST',
          url: 'https://shop.example.com/v2/orders/a%2Fb',
          headers: [['Content-Type', 'application/json']],
          body: { text: '{"lines":[{"sku":"x","quantity":2}]}' },
          credentials: [expect.objectContaining({ in: 'header', name: 'X-Shop-Key', stored: true })],
          curl:
            `curl -X POST 'https://shop.example.com/v2/orders/a%2Fb' -H 'X-Shop-Key: API_KEY' ` +
            `-H 'Content-Type: application/json' -d '{"lines":[{"sku":"x","quantity":2}]}'`,
          warnings: [],
        },
      ]);
      const rejection = await prepare({ shop: '..', lines: [{ quantity: 0 }] });
      expect([rejection.status, rejection.body.errors]).toEqual([
        400,
        [
          { pointer: '/lines/0/sku', message: 'is required' },
          { pointer: '/lines/0/quantity', message: 'must be at least 1' },
        ],
      ]);
      expect((await prepare({ shop: '..', lines: [] })).body.errors).toMatchObject([{ pointer: '/shop' }]);
      expect((await prepare({ shop: 'a', lines: [], colour: 'red' })).body).toMatchObject({
        detail: expect.stringMatching(/^Invalid arguments: \/colour is unknown: the arguments are shop, /) as string,
      });
    });

    test('becomes code in the languages that the caller names, without the stored credential', async () => {
      const path = `/api/collections/${orders}/operations/${await keyOf(orders, 'placeOrder')}/prepare`;
      const prepare = (query: string) =>
        call('POST', `${path}${query}`, {
          token: fixtures.admin,
          json: { arguments: { shop: 'a/b', lines: [{ sku: '#{x}', quantity: 2 }] } },
        });
      const plain = await prepare('');
      const reply = await prepare('?samples=ruby,%20python,ruby,curl');
      expect(plain.body).not.toHaveProperty('samples');
      expect(reply.body).toEqual({
        ...plain.body,
        samples: {
          curl: plain.body.curl,
          python: expect.stringContaining('"X-Shop-Key": "API_KEY"') as string,
          ruby: expect.stringContaining('"{\\"lines\\":[{\\"sku\\":\\"\\#{x}\\",\\"quantity\\":2}]}"') as string,
        },
      });
      expect(reply.text).not.toContain('the-key-of-the-shop');
      expect((await prepare(`?samples=${everyLanguage.join(',')}`)).body).toMatchObject({
        samples: Object.fromEntries(everyLanguage.map((name) => [name, expect.stringContaining('API_KEY') as string])),
      });
      const rejection = await prepare('?samples=python,cobol');
      expect([rejection.status, rejection.body.detail]).toEqual([
        400,
        `Invalid query parameter: samples[1] must be one of ${everyLanguage.join(', ')}`,
      ]);
    });

    test('is sent only if the collection has changed', async () => {
      const key = await keyOf(orders, 'placeOrder');
      const { headers } = await slice(orders, key);
      const conditionalRequest = { token: fixtures.admin, headers: ['If-None-Match', textOf(headers.etag ?? '')] };
      expect((await slice(orders, key, '', conditionalRequest)).status).toBe(304);
      expect((await slice(orders, key, '?detail=full', conditionalRequest)).status).toBe(200);
      await call('PUT', `/api/collections/${orders}`, { token: fixtures.admin, json: { name: 'Orders of shops' } });
      expect((await slice(orders, key, '', conditionalRequest)).body.collection_name).toBe('Orders of shops');
    });

    test('is shown only to callers that may read the collection', async () => {
      const client = await fixtures.newClient();
      const key = await keyOf(orders, 'placeOrder');
      const readSlice = () => slice(orders, key, '', { key: client.key });
      expect((await readSlice()).body).toEqual({ detail: 'No access to this collection' });
      await fixtures.grant(client, orders);
      expect((await readSlice()).status).toBe(200);
      await fixtures.revoke(client, orders);
      expect((await readSlice()).status).toBe(403);
    });

    test('changes immediately with the document', async () => {
      const id = await fixtures.newCollection({ openapi_spec: shopDocument });
      const key = await keyOf(id, 'placeOrder');
      expect((await slice(id, key)).body.summary).toBe('Place an order');
      const text = JSON.stringify(shopDocument).replace('Place an order', 'Order');
      await call('PUT', `/api/collections/${id}`, {
        token: fixtures.admin,
        json: { openapi_spec: JSON.parse(text) as object },
      });
      expect((await slice(id, key)).body.summary).toBe('Order');
      await call('PUT', `/api/collections/${id}`, { token: fixtures.admin, json: { openapi_spec: smallDocument } });
      expect((await slice(id, key)).body).toEqual({ detail: 'Operation not found' });
    });

    test.each(['aaaaaaaaaaaaaaaa', 'AAAA', 'x'.repeat(500), '%00'])('of %s is not found', async (key) => {
      const reply = await slice(orders, key);
      expect([reply.status, reply.body]).toEqual([404, { detail: 'Operation not found' }]);
    });
  });

  test('metadata describes the credential and reports full deprecation on request', async () => {
    const readOperation = (id: string, query = '') =>
      call('GET', `/api/collections/${id}/metadata${query}`, { token: fixtures.admin });
    const plainReply = await readOperation(messages);
    expect(Object.keys(plainReply.body)).toEqual(['id', 'name', 'description', 'base_url', 'authentication']);
    const reply = await readOperation(orders, '?include=hints');
    expect(reply.body).toMatchObject({
      deprecated: false,
      authentication: { value: 'the-key-of-the-shop', value_hint: 'the key of Orders of shops' },
    });
    const paths = { '/old': { get: operation('old', 'Old', { deprecated: true }) } };
    const oldCollection = await fixtures.newCollection({ openapi_spec: { ...smallDocument, paths } });
    const hintedReply = await readOperation(oldCollection, '?include=hints');
    expect(hintedReply.body).toMatchObject({ deprecated: true, authentication: { type: 'none', value_hint: null } });
    const conditionalRequest = {
      token: fixtures.admin,
      headers: ['If-None-Match', textOf(hintedReply.headers.etag ?? '')],
    };
    expect(
      (await call('GET', `/api/collections/${oldCollection}/metadata?include=hints`, conditionalRequest)).status,
    ).toBe(304);
    expect((await call('GET', `/api/collections/${oldCollection}/metadata`, conditionalRequest)).status).toBe(200);
    expect((await readOperation(orders, '?include=all')).status).toBe(400);
  });

  describe('the document', () => {
    const readFormat = (format: string, headers: readonly string[] = []) =>
      call('GET', `/api/collections/${messages}/openapi.${format}`, { token: fixtures.admin, headers: [...headers] });

    test.each(['identity', 'gzip'])('is the original text, in %s', async (coding) => {
      const reply = await readFormat('json', ['Accept-Encoding', coding]);
      expect([reply.status, reply.text]).toEqual([200, JSON.stringify(messagingDocument)]);
      const yaml = await readFormat('yaml', ['Accept-Encoding', coding]);
      expect(yaml.headers['content-type']).toBe('application/yaml');
      expect(yaml.text).toContain(
        '  /messages/{id}:\n    get:\n      operationId: readMessage\n'.replace(
          '  /messages/{id}',
          '  "/messages/{id}"',
        ),
      );
    });

    test.each(['json', 'yaml'])('as %s is sent only if it has changed', async (format) => {
      const { headers } = await readFormat(format);
      expect((await readFormat(format, ['If-None-Match', textOf(headers.etag ?? '')])).status).toBe(304);
      expect((await readFormat(format, ['If-None-Match', '"other"'])).status).toBe(200);
    });

    test.each(['json', 'yaml'])('as %s is shown only to callers that may read the collection', async (format) => {
      const client = await fixtures.newClient();
      const reply = await call('GET', `/api/collections/${messages}/openapi.${format}`, { key: client.key });
      expect([reply.status, reply.body]).toEqual([403, { detail: 'No access to this collection' }]);
    });
  });

  describe('a search', () => {
    test('finds the operation that matches the query', async () => {
      const reply = await search({ query: 'send a text message' });
      expect(reply.status).toBe(200);
      const [firstResult] = reply.list;
      expect(firstResult).toEqual({
        collection_id: messages,
        collection_name: 'Messages',
        operation_key: (await listOperations(messages)).list[0]?.operation_key,
        method: 'POST',
        path: '/messages',
        operation_id: 'sendMessage',
        summary: 'Send a text message to a phone',
        deprecated: false,
        score: expect.any(Number) as number,
        call: 'allowed',
      });
    });

    test('can be limited to one collection, one method, and a number of results', async () => {
      expect(operationIdsOf(await search({ query: 'weather forecast', collection_id: forecasts }))).toEqual([
        'readForecast',
      ]);
      const deletions = await search({ query: 'delete a message', method: 'DELETE' });
      expect(operationIdsOf(deletions)).toEqual(['deleteMessage']);
      expect((await search({ query: 'message', k_limit: 2 })).list).toHaveLength(2);
      const unknownCollectionId = '11111111-1111-4111-8111-111111111111';
      expect((await search({ query: 'message', collection_id: unknownCollectionId })).list).toEqual([]);
      for (const badFilter of [{ collection_id: 'not-a-uuid' }, { method: 'delete' }])
        expect((await search({ query: 'message', ...badFilter })).status).toBe(400);
    });

    test('returns only operations visible to the client, and hidden operations do not affect the results', async () => {
      const client = await fixtures.newClient();
      const query = { query: 'send a text message to a phone' };
      expect((await search(query, { key: client.key })).list).toEqual([]);
      await fixtures.grant(client, messages);
      const replyBefore = await search(query, { key: client.key });
      expect(operationIdsOf(replyBefore)[0]).toBe('sendMessage');
      const hiddenCollection = await fixtures.newCollection({ name: 'More messages', openapi_spec: messagingDocument });
      await subject.runJobs();
      expect((await search(query, { key: client.key })).text).toBe(replyBefore.text);
      expect((await search({ ...query, collection_id: hiddenCollection }, { key: client.key })).list).toEqual([]);
      await fixtures.revoke(client, messages);
      expect((await search(query, { key: client.key })).list).toEqual([]);
    });

    test('omits operations and collections immediately after they are removed', async () => {
      const id = await fixtures.newCollection({ name: 'Ferries', openapi_spec: ferries });
      await subject.runJobs();
      const query = { query: 'book a ferry crossing' };
      expect(operationIdsOf(await search(query))[0]).toBe('bookCrossing');
      const paths = { '/timetable': { get: operation('readTimetable', 'Read the timetable of the ferries') } };
      await call('PUT', `/api/collections/${id}`, {
        token: fixtures.admin,
        json: { openapi_spec: { ...ferries, paths } },
      });
      expect(operationIdsOf(await search(query))).not.toContain('bookCrossing');
      await subject.runJobs();
      expect(operationIdsOf(await search({ query: 'timetable of the ferries' }))[0]).toBe('readTimetable');
      await call('DELETE', `/api/collections/${id}`, { token: fixtures.admin });
      expect((await search({ query: 'timetable of the ferries' })).text).not.toContain('erries');
    });
  });
};

const ferries = {
  ...smallDocument,
  paths: { '/crossings': { post: operation('bookCrossing', 'Book a crossing on a ferry') } },
};

const shopDocument = {
  ...smallDocument,
  servers: [{ url: 'https://shop.example.com/v2/' }],
  paths: {
    '/orders/{shop}': {
      parameters: [{ $ref: '#/components/parameters/Shop' }],
      post: {
        operationId: 'placeOrder',
        summary: 'Place an order',
        description: `Places it. ${'At length. '.repeat(60)}`,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: {
          201: {
            description: 'Placed',
            content: {
              'application/json': { schema: { type: 'object', properties: { number: { type: 'string' } } } },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: { Shop: { name: 'shop', in: 'path', required: true, schema: { type: 'string' } } },
    schemas: {
      Order: {
        type: 'object',
        required: ['lines'],
        properties: {
          lines: { type: 'array', items: { $ref: '#/components/schemas/Line' } },
          note: { type: 'string', description: 'Anything else. '.repeat(40) },
        },
      },
      Line: {
        type: 'object',
        required: ['sku'],
        properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
      Unused: { type: 'string' },
    },
  },
};
