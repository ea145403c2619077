import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgress } from '../search-eval/progress.ts';
import { UsageError } from '../usage-error.ts';
import { acceptedDifferences } from './accepted.ts';
import { checkDocument } from './check-document.ts';
import { help, readOptions, type CheckOptions } from './options.ts';
import { formatReport, isClean, summarize, type CheckedDocument } from './report.ts';

// Compares the product's descriptions of all operations with their documents (see `help`).
function run(options: CheckOptions): number {
  const names = readdirSync(options.documents)
    .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
    .map((file) => file.replace(/\.json$/, ''))
    .filter((name) => options.document === null || name === options.document);
  if (names.length === 0)
    throw new UsageError(`there is no document "${options.document ?? '*'}" in ${options.documents}`);
  const progress = createProgress();
  progress.begin('documents', names.length);
  const results = names.map((document): CheckedDocument => {
    const text = readFileSync(join(options.documents, `${document}.json`), 'utf8').replace(/^\ufeff/, '');
    const result = checkDocument(text, options.facts);
    progress.advance();
    return { document, ...result };
  });
  progress.end();
  const report = summarize(results, options.facts, acceptedDifferences);
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  return isClean(report) ? 0 : 1;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) process.exitCode = run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`calls:check: ${error.message}\n`);
  process.exitCode = 2;
}
