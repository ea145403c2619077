import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { freePort } from '@portico/test-servers';
import { root } from '../service-process.ts';
import { startSubject, type Subject } from './subject.ts';

/** Plain Express 5 with one route and a small JSON answer: the unit that everything else is a multiple of. */
const bare = `
import express from 'express';
const app = express();
app.get('/', (request, response) => { response.json({ id: 1, name: 'a name', description: 'a description' }); });
app.listen(Number(process.argv.at(-1)), '127.0.0.1').keepAliveTimeout = 65_000;
`;

/** The same, which asks PostgreSQL for what it answers, and has Redis count, at once: by their usual drivers. */
const asking = `
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const redis = new Redis(process.env.REDIS_URL);
const query = { name: 'row', text: "select $1::int as id, 'a name' as name, 'a description' as description", values: [1] };
const app = express();
app.get('/', async (request, response) => {
  const [{ rows }] = await Promise.all([pool.query(query), redis.incr('requests')]);
  response.json(rows[0]);
});
app.listen(Number(process.argv.at(-1)), '127.0.0.1').keepAliveTimeout = 65_000;
`;

export const startBareExpress = (
  folder: string,
  nodeArguments: readonly string[] = [],
  variables: NodeJS.ProcessEnv = {},
): Promise<Subject> => startExpress({ name: 'bare', folder, program: bare, nodeArguments, variables });

/** It asks the servers that the service's variables name. */
export const startAskingExpress = (folder: string, servers: Environment): Promise<Subject> =>
  startExpress({ name: 'asking', folder, program: asking, variables: servers });

interface ExpressStart {
  readonly name: string;
  /** Where its log is. */
  readonly folder: string;
  /** Listens at the port that is its last argument. */
  readonly program: string;
  readonly nodeArguments?: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
}

const startExpress = async ({ name, folder, program, nodeArguments = [], variables }: ExpressStart) => {
  const port = await freePort();
  return startSubject({
    name: `${name} Express`,
    address: `http://127.0.0.1:${port}`,
    ready: '/',
    folder: join(root, 'apps/http'),
    arguments: [...nodeArguments, '--input-type=module', '--eval', program, '--', String(port)],
    environment: { PATH: process.env.PATH, NODE_ENV: 'production', ...variables },
    logFile: join(folder, `${name}-express.log`),
  });
};
