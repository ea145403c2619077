import { dayByTool } from './by-tool.ts';
import { doDay } from './day.ts';
import { dayOverHttp } from './over-http.ts';

/**
 * `npm run admin-day`: an administrator's whole day, against a freshly started service each time, over HTTP and with the
 * tool. Fails if it takes more than 15 calls or commands, if an id had to be copied, or if the state afterwards is wrong.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

for (const createWay of [dayOverHttp, dayByTool]) await doDay(createWay, say);
