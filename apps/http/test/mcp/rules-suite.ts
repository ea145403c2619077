import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, textOf, type Client, type Start } from '../subject.ts';
import { clients, type McpClient } from './mcp-clients.ts';

const secret = 'upstream-token-of-kiosk';
const operation = (summary: string) => ({ summary, responses: { 200: { description: 'Done' } } });
const kioskDocument = {
  ...smallDocument,
  servers: [{ url: 'https://kiosk.example' }],
  paths: {
    '/orders': { get: operation('List the orders of newspapers'), post: operation('Order a newspaper') },
    '/orders/{id}': { delete: operation('Cancel the order of a newspaper') },
  },
};

/** Tests how the tools show the rules of grants, through each official client. */
export const rulesSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let kiosk: string;
  let keys: Readonly<Record<'GET' | 'POST' | 'DELETE', string>>;
  let client: Client;

  beforeAll(async () => {
    client = await fixtures.newClient();
    const authentication = { type: 'bearer', value: secret };
    kiosk = await fixtures.newCollection({ name: 'Kiosk', openapi_spec: kioskDocument, authentication });
    await fixtures.grant(client, kiosk);
    await subject.runJobs();
    const { list } = await asAdmin('GET', `/api/collections/${kiosk}/operations`);
    keys = Object.fromEntries(list.map((item) => [item.method, item.operation_key])) as typeof keys;
  });

  const setRule = async (json: object) =>
    expectStatus(await asAdmin('PUT', `/api/access/clients/${client.id}/collections/${kiosk}`, json), 200);
  const unrestricted = { operations: 'all', except: [], ask: [] };

  describe.each(Object.entries(clients))('%s', (_revision, connect) => {
    const withClient = async (use: (mcp: McpClient) => Promise<void>): Promise<void> => {
      const headers = { 'X-Client-ID': client.key.clientId, 'X-API-Key': client.key.secret };
      const mcp = await connect(subject.client.baseUrl, headers);
      try {
        await use(mcp);
      } finally {
        await setRule(unrestricted);
        await mcp.close();
      }
    };

    test('search_operations shows operations that may not be called freely, and only those', () =>
      withClient(async (mcp) => {
        const search = async () => {
          const { data } = await mcp.call('search_operations', { query: 'order a newspaper' });
          const operations = data?.['operations'] as readonly Readonly<Record<string, unknown>>[];
          return Object.fromEntries<unknown>(operations.map(({ method, ...rest }) => [String(method), rest['call']]));
        };
        const before = await search();
        expect(before).toEqual(Object.fromEntries(Object.keys(before).map((method) => [method, undefined])));
        expect(before).toHaveProperty('POST');
        await setRule({ operations: [keys.GET, keys.POST], ask: [keys.POST] });
        const expected: Readonly<Record<string, string | undefined>> = { POST: 'ask', DELETE: 'denied' };
        expect(await search()).toEqual(
          Object.fromEntries(Object.keys(before).map((method) => [method, expected[method]])),
        );
      }));

    test('describe_operation says so in words', () =>
      withClient(async (mcp) => {
        const describeOperation = async (key: string) =>
          (await mcp.call('describe_operation', { collection_id: kiosk, operation_key: key })).text;
        expect(await describeOperation(keys.POST)).not.toContain('"call"');
        await setRule({ operations: [keys.GET, keys.POST], ask: [keys.POST] });
        expect(await describeOperation(keys.GET)).not.toContain('"call"');
        expect(await describeOperation(keys.POST)).toMatch(/"call":"ask"[^]*needs a decision by a person first/);
        expect(await describeOperation(keys.DELETE)).toMatch(
          /"call":"denied"[^]*does not allow calls of this operation/,
        );
      }));

    test('read_credential is refused with words, and not audited; get_api says so too', () =>
      withClient(async (mcp) => {
        const countReadings = async () => {
          const path = '/api/audit/?source=system&action=collection.credential_read&pageSize=100';
          return ((await call('GET', path, { token: fixtures.admin })).body as { data: readonly unknown[] }).data
            .length;
        };
        expect((await mcp.call('read_credential', { collection_id: kiosk })).text).toContain(secret);
        expect((await mcp.call('get_api', { collection_id: kiosk })).text).toContain('read_credential returns');
        const before = await countReadings();
        await setRule({ operations: 'read_only' });
        const { isError, text } = await mcp.call('read_credential', { collection_id: kiosk });
        expect([isError, text]).toEqual([true, expect.stringMatching(/not shown to you.*call_operation/) as string]);
        expect(await countReadings()).toBe(before);
        const hint = textOf((await mcp.call('get_api', { collection_id: kiosk })).data?.['hint']);
        expect(hint).toMatch(/may not read the credential.*call_operation/);
      }));
  });
};
