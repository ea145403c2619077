import { startPostgres } from '../src/postgres.ts';
import { startRedis } from '../src/redis.ts';

/** Tells what the start of each server answers, or says when it refuses. */
const starts = [() => startPostgres({ versionFolders: '/nowhere' }), () => startRedis()];
const answers = await Promise.all(starts.map((start) => start().catch((error: Error) => error.message)));
console.log(JSON.stringify(answers));
