import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MedianEstimate } from '../bench/statistics.ts';
import type { PeerOptions } from './options.ts';
import { install } from './packages.ts';

const packages = { dependencies: { 'sqlite-vec': '0.1.9', 'better-sqlite3': '13.0.3' } };

/** What the measuring process is told. */
export interface SearchTask extends Pick<PeerOptions, 'data' | 'quick'> {
  readonly installed: string;
  readonly sizes: readonly number[];
}

export interface SearchFigures {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly recall: number;
  /** Times the median of Portico, spell by spell; null for Portico. */
  readonly timesPortico: MedianEstimate | null;
}

export interface CaseFigures {
  readonly rows: number;
  readonly visible: number;
  readonly ways: readonly SearchFigures[];
}

export interface VectorSearchFigures {
  readonly name: string;
  readonly version: string;
  readonly settings: readonly string[];
  /** What the vectors are. */
  readonly source: string;
  readonly queries: number;
  readonly cases: readonly CaseFigures[];
}

/** Measures the search of the service and that of sqlite-vec in turn, in one process of their own. */
export const measureVectorSearch = async (
  installed: string,
  { data, quick }: PeerOptions,
  note: (text: string) => void,
): Promise<VectorSearchFigures> => {
  const { 'sqlite-vec': version, 'better-sqlite3': driver } = packages.dependencies;
  note(`sqlite-vec ${version}: installing`);
  await install(installed, packages);
  const task: SearchTask = { installed, data, quick, sizes: [10_000, 100_000] };
  const script = fileURLToPath(new URL('vector-search-figures.ts', import.meta.url));
  const measuring = promisify(execFile)(process.execPath, ['-C', '@portico/source', script, JSON.stringify(task)], {
    maxBuffer: 2 ** 24,
  });
  measuring.child.stderr?.pipe(process.stderr);
  const figures = JSON.parse((await measuring).stdout) as Pick<VectorSearchFigures, 'source' | 'queries' | 'cases'>;
  return {
    name: 'sqlite-vec',
    version,
    settings: [
      `as the registry has it built, in better-sqlite3 ${driver}, on a database in memory with pages of 64 KB`,
      'statements prepared once; what is visible is a table of grants',
    ],
    ...figures,
  };
};
