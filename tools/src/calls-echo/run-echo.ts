import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFacts } from '../calls-check/document-facts.ts';
import { DocumentSchemas } from '../calls-check/document-schemas.ts';
import { parseJsonText } from '../calls-check/json-text.ts';
import { readLargeTool, type PrepareCall } from '../calls-check/product.ts';
import type { Progress } from '../search-eval/progress.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { echoOperation, type EchoResult } from './echo-operation.ts';
import { startEchoServer } from './echo-server.ts';
import type { EchoOptions } from './options.ts';
import { startRequestValidator } from './request-validator.ts';

export interface LocatedResult extends EchoResult {
  readonly document: string;
  readonly operation: string;
}

/** Runs the chosen operations of all documents. */
export async function runEcho(
  options: EchoOptions,
  prepare: PrepareCall,
  progress: Progress,
): Promise<LocatedResult[]> {
  const random = createSeededRandom(options.seed);
  const chosenOperations = chooseOperations(options, progress);
  const curlShare = options.operations === 0 ? 0 : options.curl / options.operations;
  const [echo, validator] = [await startEchoServer(), await startRequestValidator()];
  const results: LocatedResult[] = [];
  progress.begin(
    'operations',
    [...chosenOperations.values()].reduce((sum, { size }) => sum + size, 0),
  );
  try {
    for (const [document, names] of chosenOperations) {
      const documentText = readText(options.documents, document);
      const schemas = new DocumentSchemas(parseJsonText(documentText));
      for (const name of names) {
        const [method = '', path = ''] = name.split(/ (.*)/s);
        const tool = readLargeTool(documentText, name);
        const runsCurl = random.nextFraction() < curlShare;
        const result = await echoOperation(
          { documentText, schemas, method, path, tool },
          { prepare, echo, validator, random, runsCurl },
        );
        results.push({ document, operation: name, ...result });
        progress.advance();
      }
    }
  } finally {
    await echo.close();
    await validator.close();
    progress.end();
  }
  return results;
}

const readText = (folder: string, document: string): string =>
  readFileSync(join(folder, `${document}.json`), 'utf8').replace(/^\ufeff/, '');

/** Chooses operations of all documents; leaves out those that are in another file. */
function chooseOperations({ documents, operations, seed }: EchoOptions, progress: Progress): Map<string, Set<string>> {
  const names = readdirSync(documents)
    .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
    .map((file) => file.replace(/\.json$/, ''));
  const random = createSeededRandom(seed);
  progress.begin('documents read', names.length);
  const all = names.flatMap((document) => {
    const facts = [...readFacts(new DocumentSchemas(parseJsonText(readText(documents, document))))];
    progress.advance();
    return facts
      .filter(({ externalPlaces }) => !externalPlaces.includes(''))
      .map(({ method, path }) => ({ document, name: `${method} ${path}`, order: random.nextFraction() }));
  });
  const chosenOperations = all.sort((a, b) => a.order - b.order).slice(0, operations);
  const byDocument = new Map<string, Set<string>>();
  for (const { document, name } of chosenOperations)
    byDocument.set(document, (byDocument.get(document) ?? new Set()).add(name));
  return byDocument;
}

/** The share of valid requests, of those about which the validator has an opinion. */
export const validShare = (results: readonly EchoResult[]): number => {
  const countOf = (outcome: EchoResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const validated = results.length - countOf('limit');
  return validated === 0 ? 1 : countOf('valid') / validated;
};

const validShareMin = 0.99;

export const isGood = (results: readonly EchoResult[]): boolean =>
  validShare(results) >= validShareMin &&
  results.every(({ curlDifferences }) => !curlDifferences || curlDifferences.length === 0);

const [reasonMax, argumentsMax] = [400, 300];

/** Formats the counts, and all results that are not valid or whose curl line differs. */
export function formatResults(results: readonly LocatedResult[]): string {
  const outcomes = ['valid', 'invalid', 'unprepared', 'limit'] as const;
  const counts = outcomes.map(
    (outcome) => `${outcome} ${results.filter((result) => result.outcome === outcome).length}`,
  );
  const rejections = results.filter((result) => result.rejections.length > 0).length;
  const curlResults = results.flatMap(({ curlDifferences }) => (curlDifferences ? [curlDifferences.length === 0] : []));
  const details = results.flatMap(({ document, operation, outcome, reason, args, curlDifferences }) => [
    ...(outcome === 'valid'
      ? []
      : [
          `${outcome}: ${document} ${operation}`,
          `  ${reason.slice(0, reasonMax)}`,
          `  ${JSON.stringify(args).slice(0, argumentsMax)}`,
        ]),
    ...(curlDifferences ?? []).map(
      (difference) => `curl: ${document} ${operation}\n  ${difference.slice(0, reasonMax)}`,
    ),
  ]);
  return [
    ...details,
    `requests: ${counts.join(', ')}; ${(100 * validShare(results)).toFixed(2)} % valid`,
    `operations whose first arguments were rejected, and then corrected: ${rejections}`,
    `curl lines: ${curlResults.length}, of which ${curlResults.filter(Boolean).length} send the prepared request`,
    '',
  ].join('\n');
}
