import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Whether this machine counts instructions: a processor's counters are often hidden from virtual machines. */
export const canCountInstructions = (): boolean => {
  const { stderr } = spawnSync('perf', ['stat', '-x', ',', '-e', event, 'true'], { encoding: 'utf8' });
  return countIn(stderr ?? '') !== null;
};

const event = 'instructions';

/** How many instructions all threads of a process execute while `work` runs, by `perf stat`. */
export const countInstructions = async (pid: number, work: () => Promise<void>): Promise<number> => {
  // Counting begins and ends by commands, each of which is acknowledged.
  const options = ['stat', '-x', ',', '-e', event, '-p', String(pid), '--delay=-1', '--control', 'fd:3,4'];
  const perf = spawn('perf', options, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  const ended = once(perf, 'exit');
  const [commands, answers] = [perf.stdio[3] as Writable, perf.stdio[4] as Readable];
  let output = '';
  perf.stderr?.setEncoding('latin1').on('data', (text: string) => (output += text));
  const command = async (text: 'enable' | 'disable'): Promise<void> => {
    const answered = once(answers, 'data');
    commands.write(`${text}\n`);
    await answered;
  };
  try {
    await command('enable');
    await work();
    await command('disable');
  } finally {
    perf.kill('SIGINT');
    await ended;
  }
  const count = countIn(output);
  if (count === null) throw new Error(`perf stat: ${output}`);
  return count;
};

/** `1234,,instructions,…`; `<not supported>,,instructions,…` */
const countIn = (output: string): number | null => {
  const count = /^(\d+(?:\.\d+)?),/m.exec(output)?.[1];
  return count === undefined ? null : Number(count);
};
