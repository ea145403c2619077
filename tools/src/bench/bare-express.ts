import { join } from 'node:path';
import { findFreePort } from '@portico/test-servers';
import { root } from '../service-process.ts';
import { startSubject, type Subject } from './subject.ts';

/** Plain Express 5 with one route and a small JSON response, which is the unit for all other figures. */
const program = `
import express from 'express';
const app = express();
app.get('/', (request, response) => { response.json({ id: 1, name: 'a name', description: 'a description' }); });
app.listen(Number(process.argv.at(-1)), '127.0.0.1').keepAliveTimeout = 65_000;
`;

export const startBareExpress = async (folder: string): Promise<Subject> => {
  const port = await findFreePort();
  return startSubject({
    address: `http://127.0.0.1:${port}`,
    readyPath: '/',
    folder: join(root, 'apps/http'),
    arguments: ['--input-type=module', '--eval', program, '--', String(port)],
    environment: { PATH: process.env.PATH, NODE_ENV: 'production' },
    logFile: join(folder, 'bare-express.log'),
  });
};
