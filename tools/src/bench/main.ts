import { cpus } from 'node:os';
import { UsageError } from '../usage-error.ts';
import { reportCounts } from './counts.ts';
import { help, readOptions, type BenchOptions } from './options.ts';
import { changeLines, isFailure, requestTable } from './report.ts';
import { measureRequests } from './requests.ts';
import { scenarios } from './scenarios.ts';

/** `npm run bench`: measures the cost of requests; see `--help`. */
const run = async (options: BenchOptions): Promise<void> => {
  const selectedScenarios = scenarios.filter(
    ({ name }) => options.only.length === 0 || options.only.some((fragment) => name.includes(fragment)),
  );
  if (selectedScenarios.length === 0)
    throw new UsageError(
      `--only matches no request. The requests are:\n${scenarios.map(({ name }) => `  ${name}`).join('\n')}`,
    );
  if (options.part === 'counts') return reportCounts(selectedScenarios, options);
  const figures = await measureRequests(selectedScenarios, options);
  console.log(`CPU time as a multiple of bare Express; ${cpus()[0]?.model ?? ''}, Node ${process.versions.node}\n`);
  for (const line of requestTable(figures)) console.log(line);
  if (options.against !== null) for (const line of changeLines(figures, options.against)) console.log(line);
  if (figures.some(({ ratio, budget }) => isFailure(ratio.median, budget))) process.exitCode = 1;
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
