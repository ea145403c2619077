import { writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process whose path is drawn (`--import`): SIGUSR2 begins a profile of its main thread, the next one ends
 * it and writes the microseconds of each function itself to the file named by `BENCH_PROFILE`.
 */
const intervalMicroseconds = 100;

/** A function by its script and name, separated by a space. */
export type SelfTimes = Readonly<Record<string, number>>;

const selfTimesOf = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): SelfTimes => {
  const names = new Map(nodes.map(({ id, callFrame: { url, functionName } }) => [id, `${url} ${functionName}`]));
  const times: Record<string, number> = {};
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times[name] = (times[name] ?? 0) + (timeDeltas[at] ?? 0);
  }
  return times;
};

const file = process.env.BENCH_PROFILE;
if (isMainThread && file !== undefined) {
  const session = new Session();
  session.connect();
  let isRunning = false;
  process.on('SIGUSR2', () => {
    if (isRunning) {
      session.post('Profiler.stop', (error, result) => {
        if (error) throw error;
        writeFileSync(file, JSON.stringify(selfTimesOf(result.profile)));
      });
    } else {
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: intervalMicroseconds });
      session.post('Profiler.start');
    }
    isRunning = !isRunning;
  });
}
