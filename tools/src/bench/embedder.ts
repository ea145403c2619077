import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const figures = [
  ['loadMs', 'loading the built-in embedder, ms', 300],
  ['longestHoldMs', 'the longest that loading holds the event loop, ms', 20],
  ['memoryMiB', 'what it keeps in memory, MiB', 64],
  ['queryMicroseconds', 'embedding a query, µs', 100],
  ['thousandCharactersMicroseconds', 'embedding 1,000 characters, µs', 1_000],
] as const;

/** Prints what the built-in embedder costs, measured in a process of its own; returns how many figures exceed theirs. */
export const benchEmbedder = async (slack: number): Promise<number> => {
  const script = fileURLToPath(new URL('embedder-figures.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '-C', '@portico/source', script]);
  const measured = JSON.parse(stdout) as Readonly<Record<(typeof figures)[number][0], number>>;
  process.stdout.write(
    `${'built-in embedder'.padEnd(58)} ${'measured'.padStart(8)} ${''.padStart(7)} ${'budget'.padStart(7)}\n`,
  );
  let exceeded = 0;
  for (const [figure, name, most] of figures) {
    const over = measured[figure] > most * slack;
    if (over) exceeded += 1;
    process.stdout.write(
      `${name.padEnd(58)} ${measured[figure].toFixed(1).padStart(8)} ${''.padStart(7)} ${String(most).padStart(7)}${over ? '  over' : ''}\n`,
    );
  }
  return exceeded;
};
