import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { findFreePort } from '@portico/test-servers';

/** The embedder's variables, which are taken from the environment together with this machine's. */
const embedderVariables = [
  'OLLAMA_URL',
  'OLLAMA_PULL',
  'OLLAMA_MODEL_KEEP_ALIVE',
  'OLLAMA_NUM_THREAD',
  'EMBEDDING_MODEL',
];
const machineVariables = ['PATH', 'HOME', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'];

/**
 * Calls `run` with the environment of a separate service, in a folder that is removed afterwards: an evaluation fills a
 * catalog, which must never be the operator's.
 */
export const withServiceEnvironment = async <Result>(
  environment: Environment,
  run: (evaluationEnvironment: Environment) => Promise<Result>,
): Promise<Result> => {
  const names = [...machineVariables, ...embedderVariables.flatMap((name) => [name, `${name}_FILE`])];
  const variables = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  const folder = mkdtempSync(join(tmpdir(), 'portico-search-eval-'));
  try {
    return await run({
      ...(Object.fromEntries(variables) as Environment),
      NODE_ENV: 'development',
      DATA_DIR: folder,
      PORT: String(await findFreePort()),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
