import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { v8Arguments } from '../service-process.ts';

/** What a script of this folder measures, under its name there; `most` is its budget. */
export type Figure<Name extends string> = readonly [figure: Name, name: string, most: number];

/**
 * Prints what a script measures in a process of its own, where V8 runs as in the service; returns how many figures
 * exceed their budget.
 */
export const benchFigures = async <Name extends string>(
  title: string,
  script: string,
  figures: readonly Figure<Name>[],
  slack: number,
): Promise<number> => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const options = [...v8Arguments, '--expose-gc', '-C', '@portico/source'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, path]);
  const measured = JSON.parse(stdout) as Readonly<Record<Name, number>>;
  process.stdout.write(`${title.padEnd(58)} ${'measured'.padStart(8)} ${''.padStart(7)} ${'budget'.padStart(7)}\n`);
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
