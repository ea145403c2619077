import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@portico/test-servers';
import { createApiClient } from '../api-client.ts';
import { startSubject, type Subject } from '../bench/subject.ts';
import type { Peer, ReadName, Rows } from './peer.ts';
import { writeAhead } from './sqlite-file.ts';

const version = '12.4.0';

export const directus: Peer = {
  name: 'Directus',
  version,
  packages: {
    dependencies: { directus: version, sqlite3: '6.0.1' },
    // For flows alone, of which there are none; the version that Directus names does not compile with Node 24.
    overrides: { 'isolated-vm': '6.2.0' },
    built: ['sqlite3'],
  },
  settings: [
    '`directus start` on one process, NODE_ENV=production, SQLite (WAL) by sqlite3 6.0.1',
    'LOG_LEVEL=error, TELEMETRY=false, SERVE_APP=false; RATE_LIMITER_ENABLED and PRESSURE_LIMITER_ENABLED=false, so that it ' +
      'refuses nothing on a busy machine; everything else as it comes',
    'a static token of a user whose policy may read every row of the table: no filter by row',
    '"data cache": CACHE_ENABLED=true with CACHE_STORE=memory, which answers the same request of the same user from memory ' +
      'for 5 minutes, whatever has changed meanwhile',
  ],
  start: async (installed, data, rows) => {
    const [adminToken, token] = [randomUUID(), randomUUID()];
    const environmentOf = (port: number) => variables(data, port, adminToken);
    const program = join(installed, 'node_modules/directus/cli.js');
    const serve = async (name: string, more: Readonly<Record<string, string>> = {}): Promise<Subject> => {
      const port = await freePort();
      return startSubject({
        name,
        address: `http://127.0.0.1:${port}`,
        ready: '/server/ping',
        folder: installed,
        arguments: [program, 'start'],
        environment: { ...environmentOf(port), ...more },
        logFile: join(data, 'directus.log'),
      });
    };
    const env = environmentOf(await freePort());
    await promisify(execFile)(process.execPath, [program, 'bootstrap'], { cwd: installed, env });
    const filling = await serve('Directus, being filled');
    try {
      await fill(filling.address, adminToken, token, rows);
    } finally {
      await filling.end();
    }
    writeAhead(join(data, 'data.db'));
    const plain = await serve('Directus');
    const cached = await serve('Directus, data cache', { CACHE_ENABLED: 'true', CACHE_STORE: 'memory' });
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    const one = (id: string, column: string) => ({
      path: `/items/apis/${id}?fields=id,name,description,${column}`,
      headers,
    });
    const list = { path: '/items/apis?limit=100&fields=id,name,description', headers };
    return {
      waysOf: (read: ReadName) => {
        if (read === 'list of 100')
          return [
            { name: 'Directus', subject: plain, request: list },
            { name: 'Directus, data cache', subject: cached, request: list },
          ];
        const { id } = read === 'collection of 10 KB' ? rows.small : rows.large;
        return [
          { name: 'Directus, document as text', subject: plain, request: one(id, 'text') },
          { name: 'Directus, document as JSON', subject: plain, request: one(id, 'document') },
          { name: 'Directus, document as JSON, data cache', subject: cached, request: one(id, 'document') },
        ];
      },
      end: async () => {
        await plain.end();
        await cached.end();
      },
    };
  },
};

const variables = (data: string, port: number, adminToken: string) => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  // No look for a newer version at the start.
  CI: 'true',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SERVER_KEEP_ALIVE_TIMEOUT: '65000',
  DB_CLIENT: 'sqlite3',
  DB_FILENAME: join(data, 'data.db'),
  STORAGE_LOCAL_ROOT: join(data, 'uploads'),
  SECRET: 'a secret of a server that lives for minutes',
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: adminToken,
  ADMIN_TOKEN: adminToken,
  SERVE_APP: 'false',
  TELEMETRY: 'false',
  LOG_LEVEL: 'error',
  RATE_LIMITER_ENABLED: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
});

/** Below the largest body that it takes. */
const batchSize = 100;

const fill = async (address: string, adminToken: string, token: string, rows: Rows): Promise<void> => {
  const api = createApiClient(address);
  const admin = { token: adminToken };
  const field = (name: string, type: string, schema: object = {}) => ({ field: name, type, meta: {}, schema });
  await api.ask(admin, 'POST', '/collections', {
    collection: 'apis',
    meta: {},
    schema: {},
    fields: [
      field('id', 'uuid', { is_primary_key: true }),
      field('name', 'string'),
      field('description', 'text'),
      field('text', 'text'),
      field('document', 'json'),
    ],
  });
  const policy = await api.ask<Created>(admin, 'POST', '/policies', { name: 'reader' });
  await api.ask(admin, 'POST', '/permissions', {
    policy: policy.data.id,
    collection: 'apis',
    action: 'read',
    fields: ['*'],
    permissions: {},
  });
  const role = await api.ask<Created>(admin, 'POST', '/roles', { name: 'reader' });
  await api.ask(admin, 'POST', '/access', { role: role.data.id, policy: policy.data.id });
  await api.ask(admin, 'POST', '/users', { email: 'reader@example.com', role: role.data.id, token });
  const items = rows.all.map(({ id, name, description, document }) => ({
    id,
    name,
    description,
    text: document,
    document: JSON.parse(document) as unknown,
  }));
  for (let at = 0; at < items.length; at += batchSize)
    await api.ask(admin, 'POST', '/items/apis', items.slice(at, at + batchSize));
};

interface Created {
  readonly data: { readonly id: string };
}
