import { startPostgres } from '../src/postgres.ts';
import { startRedis } from '../src/redis.ts';

/** Starts both servers, pauses them if requested, prints their URLs, and runs until it is killed. */
const [postgres, redis] = [await startPostgres(), await startRedis()];
if (process.argv[2] === 'paused') {
  await postgres?.control?.pause();
  await redis?.control?.pause();
}
console.log(JSON.stringify([postgres?.url, redis?.url]));
setInterval(() => {}, 60_000);
