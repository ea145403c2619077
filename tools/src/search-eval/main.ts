import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose, ConfigurationError, createLogger, readConfig, type Environment } from '@portico/composition';
import { evaluateCollections } from './collections-evaluation.ts';
import { boardsOf, type Evaluation } from './evaluation.ts';
import { readJudgedCollections } from './judged-collections.ts';
import { readJudgedOperations } from './judged-operations.ts';
import { DataError } from './judged-records.ts';
import { evaluateOperations } from './operations-evaluation.ts';
import { help, readOptions, type EvaluationOptions } from './options.ts';
import { createProgress, type Progress } from './progress.ts';
import { fallsSince, recordOf, toleratedFall, type RecordedFigures } from './record.ts';
import { markdownOf } from './report.ts';
import { withServiceEnvironment } from './service-environment.ts';
import { UsageError } from '../usage-error.ts';

const recordFile = join(import.meta.dirname, 'recorded.json');

const evaluate = async (
  { collections, operations }: EvaluationOptions,
  environment: Environment,
  progress: Progress,
): Promise<Evaluation> => {
  // Everything is read before anything is started, so that a bad file costs nothing.
  const judgedCollections = collections && readJudgedCollections(collections.corpus, collections.queries);
  const judgedOperations = operations === null ? null : readJudgedOperations(operations);
  return withServiceEnvironment(environment, async (own) => {
    const ofCollections = judgedCollections && (await evaluateCollections(own, judgedCollections, progress));
    if (!judgedOperations) return { collections: ofCollections, operations: null };
    const config = readConfig({ ...own, JOBS: 'off' });
    const portico = await compose(config, createLogger('silent', 'search-eval'), 'tool');
    try {
      const text = config.ollama ? 'one text' : 'fields';
      const ofOperations = await evaluateOperations(portico.ports, judgedOperations, text, progress);
      return { collections: ofCollections, operations: ofOperations };
    } finally {
      await portico.close();
    }
  });
};

const run = async (options: EvaluationOptions): Promise<void> => {
  if (options.record && process.env.OLLAMA_URL !== undefined)
    throw new UsageError('--check and --record are about the built-in embedder: unset OLLAMA_URL');
  if (options.record === 'check' && !existsSync(recordFile))
    throw new UsageError('nothing is recorded yet: run npm run search:eval -- --record');
  const progress = createProgress();
  const evaluation = await evaluate(options, process.env, progress);
  process.stdout.write(options.json ? `${JSON.stringify(evaluation, null, 2)}\n` : markdownOf(evaluation));
  if (options.record) compareOrRecord(options.record, evaluation, progress);
};

const compareOrRecord = (how: 'check' | 'write', evaluation: Evaluation, progress: Progress): void => {
  const measured = recordOf(evaluation.collections?.model ?? '', boardsOf(evaluation));
  if (how === 'write') {
    writeFileSync(recordFile, `${JSON.stringify(measured, null, 2)}\n`);
    return progress.note(`Recorded in ${recordFile}`);
  }
  const falls = fallsSince(JSON.parse(readFileSync(recordFile, 'utf8')) as RecordedFigures, measured);
  for (const fall of falls) progress.note(`worse: ${fall}`);
  if (falls.length === 0) return progress.note(`No figure is more than ${toleratedFall} below the recorded one.`);
  process.exitCode = 1;
};

/** Faults that the operator can mend are told in a sentence; anything else is a bug, and shows where. */
const isMendable = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof DataError || error instanceof ConfigurationError;

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!isMendable(error)) throw error;
  process.stderr.write(`search:eval: ${error.message}\n${error instanceof UsageError ? 'See --help.\n' : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
