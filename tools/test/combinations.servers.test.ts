import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  startIdentityProvider,
  startFakeOllama,
  startPostgres,
  startFakeQdrant,
  startRedis,
  startSmtpServer,
} from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addClient, addCollection } from './clients.ts';
import { pollUntil } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
const qdrant = await startFakeQdrant();
const ollama = await startFakeOllama();
const smtp = await startSmtpServer();
const provider = await startIdentityProvider();
afterAll(async () => {
  for (const server of [postgres, redis, qdrant, ollama, smtp, provider]) await server?.close();
});

const admin = { uid: 'root', email: 'root@example.com', emailVerified: true } as const;

/**
 * Replacements for parts of the embedded default. Each returns its variables, and is null if the server is not
 * installed.
 */
const replacements = {
  PostgreSQL: postgres && (async () => ({ DATABASE_URL: await postgres.createDatabase() })),
  Redis: redis && (async () => ({ REDIS_URL: redis.url })),
  'fake Qdrant': async () => ({ QDRANT_URL: qdrant.url }),
  'fake Ollama': async () => ({ OLLAMA_URL: ollama.url }),
  SMTP: smtp && (async () => ({ SMTP_URL: smtp.url })),
  'OpenID Connect': async () => ({
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    BOOTSTRAP_ADMIN_UID: admin.uid,
    BOOTSTRAP_ADMIN_EMAIL: admin.email,
  }),
} as const;

type Replacement = keyof typeof replacements;

/** Replacements, alone and together. */
const combinations: readonly (readonly Replacement[])[] = [
  [],
  ['PostgreSQL'],
  ['Redis'],
  ['fake Qdrant'],
  ['fake Ollama'],
  ['SMTP'],
  ['OpenID Connect'],
  ['PostgreSQL', 'Redis'],
  ['PostgreSQL', 'fake Qdrant'],
  ['Redis', 'fake Ollama'],
  ['PostgreSQL', 'Redis', 'fake Qdrant', 'fake Ollama', 'SMTP', 'OpenID Connect'],
];

const nameOf = (combination: readonly Replacement[]): string =>
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

/** Returns the text of the emails to this address, whether sent or written to files. */
const mailsTo = (address: string): readonly string[] => {
  const folder = join(installation.folder, 'mails');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  const sentMails = smtp?.listAccepted().filter(({ envelope }) => envelope.to.includes(address)) ?? [];
  return [
    ...sentMails.map(({ bytes }) => bytes.toString('utf8')),
    ...files
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`)),
  ];
};

describe.each(combinations.map((combination) => ({ name: nameOf(combination), combination })))(
  'with $name',
  ({ name, combination }) => {
    test.skipIf(combination.some((part) => !replacements[part]))(
      'the main features work as with any other combination',
      async () => {
        const variables: Record<string, string> = {};
        for (const part of combination) Object.assign(variables, await replacements[part]?.());
        installation = await createInstallation(variables);
        await installation.compose();
        const { api } = installation;
        const usesProvider = combination.includes('OpenID Connect');
        const tokenOf = async (uid: string, email: string): Promise<Credential> =>
          usesProvider
            ? { token: (await provider.signIn({ uid, email, emailVerified: true })).idToken }
            : installation.createToken(uid);
        const operator = usesProvider ? await tokenOf(admin.uid, admin.email) : await installation.createAdminToken();
        const uid = `ada-${name.replace(/\W+/g, '-').toLowerCase()}`;
        const email = `${uid}@example.com`;

        const { id, key } = await addClient(api, operator, uid);
        const token = await tokenOf(uid, email);
        const [mail] = await pollUntil(
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
        const search = (query: string) =>
          api.request<{ collection_id: string }[]>(key, 'POST', '/api/vector/search', { query, k_limit: 1 });
        expect(await search('weather')).toEqual([]);
        for (const collection of [weather, payments]) {
          await api.request(operator, 'POST', `/api/access/clients/${id}/collections/${collection}`);
        }
        const findBest = (query: string) =>
          pollUntil(
            () => search(query),
            ([match]) => match !== undefined,
          );
        await pollUntil(
          () => api.request<unknown[]>(key, 'POST', '/api/vector/search', { query: 'anything' }),
          (results) => results.length === 2,
        );
        expect((await findBest('rain and sun in a city'))[0]?.collection_id).toBe(weather);
        expect((await findBest('charge a card'))[0]?.collection_id).toBe(payments);
        expect(await api.request<unknown[]>(token, 'GET', '/api/collections/')).toHaveLength(2);
        expect(await api.request(key, 'GET', `/api/collections/${weather}`)).toMatchObject({ openapi_spec: document });
        const searchOperations = () =>
          api.request<{ path: string; operation_key: string }[]>(key, 'POST', '/api/operations/search', {
            query: 'does it rain tomorrow',
          });
        const [operation] = await pollUntil(searchOperations, ([match]) => match?.path === '/forecast');
        const operations = `/api/collections/${weather}/operations`;
        expect(await api.request(token, 'GET', operations)).toMatchObject([{ path: '/forecast' }]);
        const operationRef = { collection_id: weather, operation_key: operation?.operation_key ?? '' };
        expect(await api.request(key, 'GET', `${operations}/${operationRef.operation_key}`)).toMatchObject({
          path: '/forecast',
        });
        const describeOperation = async () =>
          (
            await api.read(key, 'POST', '/mcp', {
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name: 'describe_operation', arguments: operationRef },
            })
          ).text;
        expect(await describeOperation()).toContain('/forecast');
        await api.request(key, 'POST', '/api/audit/', {
          message: { action: 'called' },
          timestamp: '2026-01-01T00:00:00Z',
        });

        await api.request(operator, 'DELETE', `/api/access/clients/${id}/collections/${weather}`);
        expect((await api.call(key, 'GET', `/api/collections/${weather}`)).status).toBe(403);
        expect((await api.request<unknown[]>(key, 'POST', '/api/vector/search', { query: 'weather' })).length).toBe(1);
        expect((await searchOperations()).map(({ path }) => path)).not.toContain('/forecast');
        expect((await api.call(token, 'GET', operations)).status).toBe(403);
        expect(await describeOperation()).not.toContain('/forecast');

        await api.request(operator, 'POST', '/api/rate-limits/overrides', {
          client_id: key.clientId,
          allowed_limit: 1,
          window_seconds: 3_600,
        });
        expect((await api.call(key, 'GET', `/api/collections/${payments}`)).status).toBe(429);

        await pollUntil(
          () => api.request<{ checks: Record<string, { status: string }> }>(null, 'GET', '/ready'),
          ({ checks }) => Object.values(checks).every(({ status }) => status === 'ok'),
        );
        expect((await api.call(null, 'GET', '/api/vector/health')).status).toBe(200);
      },
    );
  },
);
