import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../service-process.ts';
import { chartOf } from './chart.ts';
import type { Machine, MeasuredCurve, Measurements } from './curve.ts';
import { curves } from './curves.ts';
import { helpOf, type Options, readOptions } from './options.ts';
import { jsonOf, markdownOf } from './report.ts';
import { UsageError } from '../usage-error.ts';

const machine = (): Machine => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
});

const commit = (): string => {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    // Not a clone.
    return 'unknown';
  }
};

/** Measures in a process of its own, so that memory and compiled code of one curve do not affect the next; null if it fails. */
const measured = async (name: string, options: Options): Promise<MeasuredCurve | null> => {
  const start = performance.now();
  const [loadBefore = 0] = loadavg();
  const measuredCommit = commit();
  const script = join(import.meta.dirname, 'measure-curve.ts');
  const child = spawn(
    process.execPath,
    [
      ...['--expose-gc', '--disable-warning=ExperimentalWarning', '-C', '@portico/source', script, name],
      ...[`--idle-minutes=${options.idleMinutes}`, ...(options.quick ? ['--quick'] : [])],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  // Ends what it has started, and then itself.
  const end = () => child.kill();
  process.once('SIGTERM', end);
  const ended = once(child, 'exit').finally(() => process.off('SIGTERM', end));
  const output = await text(child.stdout);
  const [code] = (await ended) as [number | null];
  if (code !== 0) {
    process.stderr.write(`The curve ${name} could not be measured; its figures stay as they were\n`);
    return null;
  }
  const { rows, notes } = JSON.parse(output) as Pick<MeasuredCurve, 'rows' | 'notes'>;
  const seconds = (performance.now() - start) / 1_000;
  const measuredAt = new Date().toISOString().slice(0, 10);
  return { name, measuredAt, commit: measuredCommit, machine: machine(), seconds, loadBefore, rows, notes };
};

const recordedIn = (file: string): readonly MeasuredCurve[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Measurements).curves : [];

const run = async (options: Options): Promise<void> => {
  const recorded = options.out === null ? [] : recordedIn(join(options.out, 'curves.json'));
  const fresh = new Map<string, MeasuredCurve>();
  for (const name of options.curves) {
    const one = await measured(name, options);
    if (one) fresh.set(name, one);
    else process.exitCode = 1;
    const found = curves.flatMap(({ name }) => fresh.get(name) ?? recorded.find((each) => each.name === name) ?? []);
    // After each curve, so that what is measured is not lost with a later one.
    if (options.out !== null) await write(options.out, { curves: found });
  }
  if (options.out === null) process.stdout.write(await markdownOf(curves, { curves: [...fresh.values()] }));
};

const write = async (folder: string, measurements: Measurements): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'curves.json'), await jsonOf(measurements));
  writeFileSync(join(folder, 'curves.md'), await markdownOf(curves, measurements));
  for (const { name, rows } of measurements.curves) {
    const curve = curves.find((each) => each.name === name);
    if (curve) writeFileSync(join(folder, `${name}.svg`), chartOf(curve, rows));
  }
};

try {
  const names = curves.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), names);
  if (options) await run(options);
  else process.stdout.write(helpOf(curves));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`curves: ${error.message}\nSee --help.\n`);
  process.exitCode = 2;
}
