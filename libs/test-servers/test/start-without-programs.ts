import { startPostgres } from '../src/postgres.ts';
import { startRedis } from '../src/redis.ts';

/** Prints the result of starting each server, or its error message. */
const startFunctions = [() => startPostgres({ versionFolders: '/nowhere' }), () => startRedis()];
const results = await Promise.all(startFunctions.map((start) => start().catch((error: Error) => error.message)));
console.log(JSON.stringify(results));
