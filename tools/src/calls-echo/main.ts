import { prepareCall } from '../calls-check/product.ts';
import { createProgress } from '../search-eval/progress.ts';
import { UsageError } from '../usage-error.ts';
import { help, readOptions, type EchoOptions } from './options.ts';
import { formatResults, isGood, runEcho } from './run-echo.ts';

// Sends prepared requests to a recording server and validates them (see `help`).
async function run(options: EchoOptions): Promise<number> {
  const results = await runEcho(options, prepareCall, createProgress());
  const listedResults = results.filter(
    ({ outcome, curlDifferences }) => outcome !== 'valid' || (curlDifferences?.length ?? 0) > 0,
  );
  process.stdout.write(options.json ? `${JSON.stringify(listedResults, null, 2)}\n` : formatResults(results));
  return isGood(results) ? 0 : 1;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) process.exitCode = await run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`calls:echo: ${error.message}\n`);
  process.exitCode = 2;
}
