import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose, ConfigurationError, createLogger, readConfig, type Environment } from '@portico/composition';
import { evaluateCollections } from './collections-evaluation.ts';
import { boardsOf, type Evaluation } from './evaluation.ts';
import { readLabelledCollections } from './labelled-collections.ts';
import { readLabelledOperations } from './labelled-operations.ts';
import { DataError } from './labelled-records.ts';
import { evaluateOperations } from './operations-evaluation.ts';
import { help, readOptions, type EvaluationOptions } from './options.ts';
import { createProgress, type Progress } from './progress.ts';
import { findRegressions, recordOf, regressionTolerance, type RecordedFigures } from './record.ts';
import { markdownOf } from './report.ts';
import { withServiceEnvironment } from './service-environment.ts';
import { UsageError } from '../usage-error.ts';

const recordFile = join(import.meta.dirname, 'recorded.json');

const evaluate = async (
  { collections, operations }: EvaluationOptions,
  environment: Environment,
  progress: Progress,
): Promise<Evaluation> => {
  // Reads all files before starting the service, so that an invalid file fails early.
  const labelledCollections = collections && readLabelledCollections(collections.corpus, collections.queries);
  const labelledOperations = operations === null ? null : readLabelledOperations(operations);
  return withServiceEnvironment(environment, async (evaluationEnvironment) => {
    const collectionResults =
      labelledCollections && (await evaluateCollections(evaluationEnvironment, labelledCollections, progress));
    if (!labelledOperations) return { collections: collectionResults, operations: null };
    const config = readConfig({ ...evaluationEnvironment, JOBS: 'off' });
    const portico = await compose(config, createLogger('silent', 'search-eval'), 'tool');
    try {
      const text = config.ollama ? 'one text' : 'fields';
      const operationResults = await evaluateOperations(portico.ports, labelledOperations, text, progress);
      return { collections: collectionResults, operations: operationResults };
    } finally {
      await portico.close();
    }
  });
};

const run = async (options: EvaluationOptions): Promise<void> => {
  if (options.record && process.env.OLLAMA_URL !== undefined)
    throw new UsageError('--check and --record require the built-in embedder: unset OLLAMA_URL');
  if (options.record === 'check' && !existsSync(recordFile))
    throw new UsageError('nothing is recorded yet: run npm run search:eval -- --record');
  const progress = createProgress();
  const evaluation = await evaluate(options, process.env, progress);
  process.stdout.write(options.json ? `${JSON.stringify(evaluation, null, 2)}\n` : markdownOf(evaluation));
  if (options.record) compareOrRecord(options.record, evaluation, progress);
};

const compareOrRecord = (mode: 'check' | 'write', evaluation: Evaluation, progress: Progress): void => {
  const figures = recordOf(evaluation.collections?.model ?? '', boardsOf(evaluation));
  if (mode === 'write') {
    writeFileSync(recordFile, `${JSON.stringify(figures, null, 2)}\n`);
    return progress.note(`Recorded in ${recordFile}`);
  }
  const regressions = findRegressions(JSON.parse(readFileSync(recordFile, 'utf8')) as RecordedFigures, figures);
  for (const regression of regressions) progress.note(`worse: ${regression}`);
  if (regressions.length === 0)
    return progress.note(`No figure is more than ${regressionTolerance} below the recorded one.`);
  process.exitCode = 1;
};

/** Errors that the user can fix are shown as a message; others are bugs, and are shown with a stack trace. */
const isUserError = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof DataError || error instanceof ConfigurationError;

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!isUserError(error)) throw error;
  process.stderr.write(`search:eval: ${error.message}\n${error instanceof UsageError ? 'See --help.\n' : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
