/** Opens a database and reports the drivers that were loaded for it, and the migrator if it was loaded. */
import { registerHooks } from 'node:module';
import type { SqlConfig } from '../src/index.ts';

const loadedUrls: string[] = [];
registerHooks({
  load(url, context, next) {
    loadedUrls.push(url);
    return next(url, context);
  },
});
const { openSqlStores } = await import('../src/index.ts');
const config = JSON.parse(process.argv[2] ?? '') as SqlConfig;
await (await openSqlStores(config)).close();
process.send?.(
  ['better-sqlite3', 'pg', '@mikro-orm/migrations'].filter((name) =>
    loadedUrls.some((url) => url.includes(`/node_modules/${name}/`)),
  ),
);
process.disconnect();
