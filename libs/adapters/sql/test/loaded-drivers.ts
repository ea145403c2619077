/** Opens a database and reports which drivers were loaded for it. */
import { createRequire } from 'node:module';
import { openSqlStores, type SqlConfig } from '../src/index.ts';

const config = JSON.parse(process.argv[2] ?? '') as SqlConfig;
await (await openSqlStores(config)).close();
const loaded = Object.keys(createRequire(import.meta.url).cache);
process.send?.(
  ['better-sqlite3', 'pg'].filter((driver) => loaded.some((path) => path.includes(`/node_modules/${driver}/`))),
);
process.disconnect();
