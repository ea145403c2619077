import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { benchCounts } from './bench-counts.ts';
import { benchEmbedder } from './embedder.ts';
import { benchOperationIndex } from './operation-index.ts';
import { benchFloor } from './floor.ts';
import { help, readOptions, type BenchOptions } from './options.ts';
import { benchPath } from './path.ts';
import { reportChange, reportReadings, reportRequest, requestHeader } from './report.ts';
import { measureRequests, type Reading } from './requests.ts';
import { costUnit } from './spells.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { UsageError } from '../usage-error.ts';

/** `npm run bench`: what the service costs, as `--help` says. Ends with 1 if a figure exceeds twice its budget. */
const slack = 2;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const chosenOf = ({ only }: BenchOptions): readonly Scenario[] => {
  const chosen = scenarios.filter(({ name }) => only.length === 0 || only.some((fragment) => name.includes(fragment)));
  if (chosen.length === 0) throw new UsageError(`--only: no request is called so; there are\n${namesOfAll()}`);
  return chosen;
};

const benchRequests = async (options: BenchOptions): Promise<number> => {
  print(`× bare by ${costUnit} of the process; ${cpus()[0]?.model ?? ''}, Node ${process.versions.node}`);
  print(requestHeader(options.against));
  const readings = await measureRequests(chosenOf(options), options, (figures) => print(reportRequest(figures)));
  if (options.against !== null) for (const line of readings.flatMap(reportChange)) print(line);
  if (options.repeat > 1) for (const line of reportReadings(readings)) print(line);
  if (options.json !== null) writeFileSync(options.json, JSON.stringify(recordOf(readings), null, 1));
  const failed = (reading: Reading): number =>
    reading.requests.filter(({ budget, ratio }) => budget !== null && ratio.median > budget * slack).length;
  return readings.reduce((sum, reading) => sum + failed(reading), 0);
};

const namesOfAll = (): string => scenarios.map(({ name }) => `  ${name}`).join('\n');

const recordOf = (readings: readonly Reading[]) => ({
  measuredAt: new Date().toISOString(),
  unit: costUnit,
  node: process.versions.node,
  processor: cpus()[0]?.model,
  cores: availableParallelism(),
  load: loadavg()[0],
  readings,
});

const run = async (options: BenchOptions): Promise<void> => {
  let exceeded = 0;
  if (options.parts.includes('embedder')) exceeded += await benchEmbedder(slack);
  if (options.parts.includes('operations')) exceeded += await benchOperationIndex(slack);
  if (options.parts.includes('counts')) await benchCounts(chosenOf(options), options, print);
  if (options.parts.includes('path')) await benchPath(chosenOf(options), options, print);
  if (options.parts.includes('floor')) await benchFloor(chosenOf(options), options, print);
  if (options.parts.includes('requests')) exceeded += await benchRequests(options);
  if (exceeded > 0) process.exitCode = 1;
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
