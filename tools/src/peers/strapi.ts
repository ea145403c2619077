import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@portico/test-servers';
import { startSubject } from '../bench/subject.ts';
import type { Peer, ReadName } from './peer.ts';
import { writeAhead } from './sqlite-file.ts';
import { fillProgram, project } from './strapi-project.ts';

const version = '5.54.0';

export const strapi: Peer = {
  name: 'Strapi',
  version,
  packages: { dependencies: { '@strapi/strapi': version, 'better-sqlite3': '13.0.3' } },
  settings: [
    'its server on one process, NODE_ENV=production, SQLite (WAL) by better-sqlite3 13.0.3; the admin panel is not served',
    'the middlewares of a new project; the log at level error, no telemetry; it has no rate limiter for this, and no cache',
    'draft and publish off; a read-only API token; the list without its count (`pagination[withCount]=false`)',
  ],
  start: async (installed, data, rows) => {
    for (const [path, text] of Object.entries(project)) {
      mkdirSync(dirname(join(data, path)), { recursive: true });
      writeFileSync(join(data, path), text);
    }
    mkdirSync(join(data, 'public/uploads'), { recursive: true });
    symlinkSync(join(installed, 'node_modules'), join(data, 'node_modules'));
    writeFileSync(join(data, 'rows.json'), JSON.stringify(rows.all));
    const port = await freePort();
    const environment = {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      STRAPI_TELEMETRY_DISABLED: 'true',
    };
    await promisify(execFile)(process.execPath, [fillProgram], { cwd: data, env: environment });
    writeAhead(join(data, 'data.db'));
    const { token, ids } = JSON.parse(readFileSync(join(data, 'filled.json'), 'utf8')) as Filled;
    const subject = await startSubject({
      name: 'Strapi',
      address: `http://127.0.0.1:${port}`,
      ready: '/_health',
      folder: data,
      arguments: ['serve.js'],
      environment,
      logFile: join(data, 'strapi.log'),
    });
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    const fields = (...names: readonly string[]) => names.map((name, at) => `fields[${at}]=${name}`).join('&');
    const one = (id: string, column: string) => ({
      path: `/api/apis/${ids[id] ?? ''}?${fields('name', 'description', column)}`,
      headers,
    });
    const page = 'pagination[pageSize]=100&pagination[withCount]=false';
    return {
      waysOf: (read: ReadName) => {
        if (read === 'list of 100')
          return [
            {
              name: 'Strapi',
              subject,
              request: { path: `/api/apis?${page}&${fields('name', 'description')}`, headers },
            },
          ];
        const { id } = read === 'collection of 10 KB' ? rows.small : rows.large;
        return [
          { name: 'Strapi, document as text', subject, request: one(id, 'text') },
          { name: 'Strapi, document as JSON', subject, request: one(id, 'document') },
        ];
      },
      end: subject.end,
    };
  },
};

/** What the program that fills leaves: the token, and the ids that Strapi gave to the rows. */
interface Filled {
  readonly token: string;
  readonly ids: Readonly<Record<string, string>>;
}
