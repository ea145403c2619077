import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBareExpress } from './bare-express.ts';
import { openCatalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { openLoad, type Load } from './load.ts';
import { pathLines, sharesOf } from './path-lines.ts';
import type { SelfTimes } from './path-profiler.ts';
import { collectionsFor } from './requests.ts';
import type { Scenario } from './scenarios.ts';
import type { Subject } from './subject.ts';
import { openWorkbench, type WorkbenchOptions } from './workbench.ts';
import { root } from '../service-process.ts';

const [warmUpMs, measuredMs] = [8_000, 6_000];
const profiler = ['--import', new URL('path-profiler.ts', import.meta.url).href];

interface Path {
  readonly name: string;
  /** Of the whole process, for one request, while nothing was profiled. */
  readonly microseconds: number;
  readonly shares: ReadonlyMap<string, number>;
}

/**
 * Prints where the CPU time of each request goes, line by line from socket to socket, beside bare Express, as a table in
 * Markdown: the shares of a profile of the main thread, times what the process takes for a request without a profile.
 */
export const benchPath = async (
  chosen: readonly Scenario[],
  options: Omit<WorkbenchOptions, 'collections'>,
  print: (line: string) => void,
): Promise<void> => {
  const workbench = await openWorkbench({ ...options, collections: collectionsFor(chosen) });
  try {
    const { installation, catalog: filled } = await workbench.fill('here', root);
    const file = join(workbench.folder, 'profile.json');
    const variables = { BENCH_PROFILE: file };
    const bare = await startBareExpress(workbench.folder, profiler, variables);
    const paths = [await drawn(bare, file, { path: '/' }, 8, 'bare Express')];
    await bare.end();
    const service = await installation.start({ nodeArguments: profiler, variables });
    workbench.atClose(service.end);
    const catalog = await openCatalog(filled, installation);
    for (const { name, callers, request } of chosen) {
      paths.push(await drawn(service, file, request(catalog), callers, name));
    }
    for (const line of tableOf(paths)) print(line);
  } finally {
    await workbench.close();
  }
};

const drawn = async (
  subject: Subject,
  file: string,
  request: BenchRequest,
  callers: number,
  name: string,
): Promise<Path> => {
  const load = await openLoad(subject.address, request, callers);
  try {
    await load.run(warmUpMs);
    const microseconds = await costOf(subject, load);
    process.kill(subject.pid, 'SIGUSR2');
    await load.run(measuredMs);
    process.kill(subject.pid, 'SIGUSR2');
    return { name, microseconds, shares: sharesOf(await writtenTo(file)) };
  } finally {
    load.close();
  }
};

const costOf = async (subject: Subject, load: Load): Promise<number> => {
  const before = await subject.cpuNs();
  const { requests } = await load.run(measuredMs);
  return ((await subject.cpuNs()) - before) / requests / 1_000;
};

/** Waits until the profile is there, and removes it for the next one. */
const writtenTo = async (file: string): Promise<SelfTimes> => {
  for (;;) {
    try {
      const times = JSON.parse(readFileSync(file, 'utf8')) as SelfTimes;
      rmSync(file);
      return times;
    } catch {
      // It is not written, or not whole.
      await pause(100);
    }
  }
};

const tableOf = (paths: readonly Path[]): readonly string[] => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const shown = pathLines.filter((line) => paths.some(({ shares }) => (shares.get(line) ?? 0) > 0));
  return [
    row(['µs of CPU', ...paths.map(({ name }) => name)]),
    row(['---', ...paths.map(() => '---:')]),
    ...shown.map((line) =>
      row([line, ...paths.map(({ microseconds, shares }) => ((shares.get(line) ?? 0) * microseconds).toFixed(1))]),
    ),
    row(['**all**', ...paths.map(({ microseconds }) => `**${microseconds.toFixed(1)}**`)]),
  ];
};
