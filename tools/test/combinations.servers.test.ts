import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  startIdentityProvider,
  startOllamaStandIn,
  startPostgres,
  startQdrantStandIn,
  startRedis,
  startSmtpServer,
} from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addClient, addCollection } from './clients.ts';
import { eventually } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
const qdrant = await startQdrantStandIn();
const ollama = await startOllamaStandIn();
const smtp = await startSmtpServer();
const provider = await startIdentityProvider();
afterAll(async () => {
  for (const server of [postgres, redis, qdrant, ollama, smtp, provider]) await server?.close();
});

const admin = { uid: 'root', email: 'root@example.com', emailVerified: true } as const;

/** What may replace a part of the embedded default, each chosen by its own variable; null if it is not available. */
const parts = {
  PostgreSQL: postgres && (async () => ({ DATABASE_URL: await postgres.newDatabase() })),
  Redis: redis && (async () => ({ REDIS_URL: redis.url })),
  'Qdrant (stand-in)': async () => ({ QDRANT_URL: qdrant.url }),
  'Ollama (stand-in)': async () => ({ OLLAMA_URL: ollama.url }),
  SMTP: smtp && (async () => ({ SMTP_URL: smtp.url })),
  'OpenID Connect': async () => ({
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    BOOTSTRAP_ADMIN_UID: admin.uid,
    BOOTSTRAP_ADMIN_EMAIL: admin.email,
  }),
} as const;

type Part = keyof typeof parts;

/** Parts alone and together. */
const combinations: readonly (readonly Part[])[] = [
  [],
  ['PostgreSQL'],
  ['Redis'],
  ['Qdrant (stand-in)'],
  ['Ollama (stand-in)'],
  ['SMTP'],
  ['OpenID Connect'],
  ['PostgreSQL', 'Redis'],
  ['PostgreSQL', 'Qdrant (stand-in)'],
  ['Redis', 'Ollama (stand-in)'],
  ['PostgreSQL', 'Redis', 'Qdrant (stand-in)', 'Ollama (stand-in)', 'SMTP', 'OpenID Connect'],
];

const nameOf = (combination: readonly Part[]): string =>
  combination.length === 0 ? 'the embedded default' : combination.join(', ');

let installation: Installation;
afterEach(() => installation.remove());

const documentOf = (path: string, summary: string) => ({
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: { [path]: { get: { summary, responses: {} } } },
});
const document = documentOf('/forecast', 'Tell whether it rains tomorrow');
const paymentsDocument = documentOf('/charges', 'List the charges of a card');

/** The texts of the mails to this address, sent or written to files. */
const mailsTo = (address: string): readonly string[] => {
  const folder = join(installation.folder, 'mails');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  const sent = smtp?.taken().filter(({ envelope }) => envelope.to.includes(address)) ?? [];
  return [
    ...sent.map(({ bytes }) => bytes.toString('utf8')),
    ...files
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`)),
  ];
};

describe.each(combinations.map((combination) => ({ name: nameOf(combination), combination })))(
  'on $name',
  ({ name, combination }) => {
    test.skipIf(combination.some((part) => !parts[part]))(
      'a first day goes the same way as on every other combination',
      async () => {
        const variables: Record<string, string> = {};
        for (const part of combination) Object.assign(variables, await parts[part]?.());
        installation = await createInstallation(variables);
        await installation.compose();
        const { api } = installation;
        const isProvided = combination.includes('OpenID Connect');
        const tokenOf = async (uid: string, email: string): Promise<Credential> =>
          isProvided
            ? { token: (await provider.signIn({ uid, email, emailVerified: true })).idToken }
            : installation.person(uid);
        const operator = isProvided ? await tokenOf(admin.uid, admin.email) : await installation.admin();
        const uid = `ada-${name.replace(/\W+/g, '-').toLowerCase()}`;
        const email = `${uid}@example.com`;

        const { id, key } = await addClient(api, operator, uid);
        const token = await tokenOf(uid, email);
        const [mail] = await eventually(
          () => mailsTo(email),
          (mails) => mails.length > 0,
        );
        expect(mail).toContain(key.secret);

        const create = (fields: object) => addCollection(api, operator, { openapi_spec: document, ...fields });
        const weather = await create({ name: 'Weather forecast', description: 'Rain and sun for every city' });
        const payments = await create({
          name: 'Payments',
          description: 'Charge a card',
          openapi_spec: paymentsDocument,
        });
        const find = (query: string) =>
          api.ask<{ collection_id: string }[]>(key, 'POST', '/api/vector/search', { query, k_limit: 1 });
        expect(await find('weather')).toEqual([]);
        for (const collection of [weather, payments]) {
          await api.ask(operator, 'POST', `/api/access/clients/${id}/collections/${collection}`);
        }
        const best = (query: string) =>
          eventually(
            () => find(query),
            ([first]) => first !== undefined,
          );
        await eventually(
          () => api.ask<unknown[]>(key, 'POST', '/api/vector/search', { query: 'anything' }),
          (found) => found.length === 2,
        );
        expect((await best('rain and sun in a city'))[0]?.collection_id).toBe(weather);
        expect((await best('charge a card'))[0]?.collection_id).toBe(payments);
        expect(await api.ask<unknown[]>(token, 'GET', '/api/collections/')).toHaveLength(2);
        expect(await api.ask(key, 'GET', `/api/collections/${weather}`)).toMatchObject({ openapi_spec: document });
        const firstOperation = () =>
          api.ask<{ path: string; operation_key: string }[]>(key, 'POST', '/api/operations/search', {
            query: 'does it rain tomorrow',
          });
        const [operation] = await eventually(firstOperation, ([first]) => first?.path === '/forecast');
        const operations = `/api/collections/${weather}/operations`;
        expect(await api.ask(token, 'GET', operations)).toMatchObject([{ path: '/forecast' }]);
        const sought = { collection_id: weather, operation_key: operation?.operation_key ?? '' };
        expect(await api.ask(key, 'GET', `${operations}/${sought.operation_key}`)).toMatchObject({ path: '/forecast' });
        const describe = async () =>
          (
            await api.read(key, 'POST', '/mcp', {
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name: 'describe_operation', arguments: sought },
            })
          ).text;
        expect(await describe()).toContain('/forecast');
        await api.ask(key, 'POST', '/api/audit/', { message: { action: 'called' }, timestamp: '2026-01-01T00:00:00Z' });

        await api.ask(operator, 'DELETE', `/api/access/clients/${id}/collections/${weather}`);
        expect((await api.call(key, 'GET', `/api/collections/${weather}`)).status).toBe(403);
        expect((await api.ask<unknown[]>(key, 'POST', '/api/vector/search', { query: 'weather' })).length).toBe(1);
        expect((await firstOperation()).map(({ path }) => path)).not.toContain('/forecast');
        expect((await api.call(token, 'GET', operations)).status).toBe(403);
        expect(await describe()).not.toContain('/forecast');

        await api.ask(operator, 'POST', '/api/rate-limits/overrides', {
          client_id: key.clientId,
          allowed_limit: 1,
          window_seconds: 3_600,
        });
        expect((await api.call(key, 'GET', `/api/collections/${payments}`)).status).toBe(429);

        await eventually(
          () => api.ask<{ checks: Record<string, { status: string }> }>(null, 'GET', '/ready'),
          ({ checks }) => Object.values(checks).every(({ status }) => status === 'ok'),
        );
        expect((await api.call(null, 'GET', '/api/vector/health')).status).toBe(200);
      },
    );
  },
);
