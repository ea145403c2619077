import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import type { Client, Start } from '../subject.ts';
import { clients, type McpClient } from './mcp-clients.ts';

const documentAt = (url: string) => ({
  openapi: '3.0.3',
  info: { title: 'Ferries', version: '1' },
  servers: [{ url }],
  paths: {
    '/crossings': { get: { description: 'Lists the **crossings** of a ferry. By day.', responses: {} } },
  },
});

interface ListedApi {
  readonly collection_id: string;
  readonly name: string;
  readonly distinguished_by?: string;
}

/** Tests how the tools show APIs with the same name, through each official client. */
export const namesakesSuite = (start: Start): void => {
  const { subject, fixtures } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let client: Client;
  let [north, northAgain, hidden] = ['', '', ''];

  beforeAll(async () => {
    client = await fixtures.newClient();
    const create = (name: string, url: string) =>
      fixtures.newCollection({ name, description: 'Ferries', openapi_spec: documentAt(url) });
    north = await create('Ferries', 'https://ada:secret@north.example/v1');
    northAgain = await create('FERRIES', 'https://north.example/v1/');
    hidden = await create('ferries', 'https://south.example');
    await fixtures.grant(client, north);
    await subject.runJobs();
  });

  describe.each(Object.entries(clients))('%s', (_revision, connect) => {
    let mcp: McpClient;
    beforeAll(async () => {
      mcp = await connect(subject.client.baseUrl, { 'X-API-Key': `${client.key.clientId}.${client.key.secret}` });
    });
    afterAll(() => mcp.close());

    /** Returns the APIs in the results of each tool. */
    const callAll = async () => {
      const results = [
        await mcp.call('search_operations', { query: 'list the crossings of a ferry' }),
        await mcp.call('search_apis', { query: 'ferries' }),
        await mcp.call('list_apis'),
      ];
      return results.map(({ data }) => (data?.['operations'] ?? data?.['apis']) as readonly ListedApi[]);
    };

    test('an API whose namesakes are hidden is shown by its name alone', async () => {
      for (const apis of await callAll()) {
        expect(apis.map((api) => [api.collection_id, 'distinguished_by' in api])).toEqual([[north, false]]);
      }
    });

    test('visible namesakes are distinguished by host, by path, or by id', async () => {
      const expectNames = async (expectedNames: Readonly<Record<string, string>>) => {
        for (const apis of await callAll()) {
          expect(Object.fromEntries(apis.map((api) => [api.collection_id, api.distinguished_by]))).toEqual(
            expectedNames,
          );
        }
      };
      await fixtures.grant(client, hidden);
      try {
        await expectNames({ [north]: 'north.example', [hidden]: 'south.example' });
        await fixtures.grant(client, northAgain);
        await expectNames({
          [north]: `id ${north.slice(0, 8)}`,
          [northAgain]: `id ${northAgain.slice(0, 8)}`,
          [hidden]: 'south.example',
        });
      } finally {
        for (const collection of [hidden, northAgain]) await fixtures.revoke(client, collection);
      }
    });

    test('an operation without a summary is shown with the first sentence of its description', async () => {
      const { data } = await mcp.call('search_operations', { query: 'list the crossings of a ferry' });
      expect(data).toMatchObject({ operations: [{ summary: 'Lists the crossings of a ferry.' }] });
    });
  });
};
