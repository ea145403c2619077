import { setTimeout as pause } from 'node:timers/promises';
import { localAdmin, openLocalIssuer, readConfig, type Environment } from '@portico/composition';
import { createApiClient, type ApiClient, type Credential } from '../api-client.ts';
import { startService } from '../service-process.ts';
import type { LabelledApi, LabelledCollections } from './labelled-collections.ts';
import type { Progress } from './progress.ts';

/** A search result, with its id in the corpus. */
export interface SearchResult {
  readonly id: string;
  readonly score: number;
}

export interface ServiceResults {
  /** The id of the service's embedding model. */
  readonly model: string;
  /** The results of each query, best first, in the order of the queries. */
  readonly results: readonly (readonly SearchResult[])[];
}

const resultsMax = 100;
const creationConcurrency = 8;
/** The maximum time without progress in embedding. */
const stallMaxMs = 300_000;
/** The maximum time with the same error from the embedder: a model server may still be pulling its model. */
const sameReasonMaxMs = 60_000;

/** Starts the service, adds the corpus over HTTP, and sends every query as an admin. */
export const searchByService = async (
  environment: Environment,
  { apis, queries }: LabelledCollections,
  progress: Progress,
): Promise<ServiceResults> => {
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The evaluation needs the local issuer');
  const admin: Credential = { token: await issuer.mint({ ...localAdmin, emailVerified: true, ttlSeconds: 86_400 }) };
  const service = await startService(environment);
  try {
    const api = createApiClient(service.address);
    const model = await waitForEmbedder(api, progress);
    const idOf = await createCollections(api, admin, apis, progress);
    await waitForEmbeddings(api, apis.length, progress);
    const nameOf = new Map(apis.map(({ id, name }) => [id, name.trim()]));
    const results: (readonly SearchResult[])[] = [];
    progress.begin('Searching', queries.length);
    for (const { text } of queries) {
      const rows = await api.request<readonly { collection_id: string; similarity_score: number }[]>(
        admin,
        'POST',
        '/api/vector/search',
        { query: text, k_limit: resultsMax },
      );
      results.push(
        rows
          .map((result) => ({ id: idOf.get(result.collection_id) ?? '', score: result.similarity_score }))
          .sort(createResultComparator(nameOf)),
      );
      progress.advance();
    }
    progress.end();
    return { model, results };
  } finally {
    await service.stop();
  }
};

/**
 * Compares results as the service does, but with the ids from the corpus, because the ids of the collections differ in
 * each run.
 */
const createResultComparator = (nameOf: ReadonlyMap<string, string>) => (x: SearchResult, y: SearchResult) =>
  y.score - x.score || compareText(nameOf.get(x.id) ?? '', nameOf.get(y.id) ?? '') || compareText(x.id, y.id);

const compareText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);

const waitForEmbedder = async (api: ApiClient, progress: Progress): Promise<string> => {
  let reportedReason = '';
  for (let reportedAt = Date.now(); ; await pause(1_000)) {
    const { body } = await api.call(null, 'GET', '/api/vector/health');
    const { embedder } = body as { embedder: { status: string; reason?: string; model: string | null } };
    if (embedder.status === 'healthy' && embedder.model !== null) return embedder.model;
    const reason = embedder.reason ?? 'unknown reason';
    if (reason === reportedReason && Date.now() - reportedAt > sameReasonMaxMs)
      throw new Error(`The embedder is unavailable: ${reason}`);
    if (reason === reportedReason) continue;
    progress.note(`Waiting for the embedder: ${reason}`);
    [reportedReason, reportedAt] = [reason, Date.now()];
  }
};

/** Adds a collection for each API. Returns the corpus id of each collection. */
const createCollections = async (
  api: ApiClient,
  admin: Credential,
  apis: readonly LabelledApi[],
  progress: Progress,
): Promise<ReadonlyMap<string, string>> => {
  const idOf = new Map<string, string>();
  const remainingApis = apis.values();
  progress.begin('Creating collections', apis.length);
  await Promise.all(
    Array.from({ length: creationConcurrency }, async () => {
      for (const { id, name, description, fail } of remainingApis) {
        const openapi_spec = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
        const body = { name, description, openapi_spec };
        const response = await api.call(admin, 'POST', '/api/collections/', body);
        if (response.status !== 201) throw fail(`the service rejected it: ${JSON.stringify(response.body)}`);
        idOf.set((response.body as { id: string }).id, id);
        progress.advance();
      }
    }),
  );
  return idOf;
};

/** Waits until no job is pending. A text that could not be embedded is an error: the figures would be wrong. */
const waitForEmbeddings = async (api: ApiClient, total: number, progress: Progress): Promise<void> => {
  progress.begin('Embedding', total);
  let waitingCountMin = total;
  for (let progressedAt = Date.now(); ; await pause(200)) {
    const metrics = await (await fetch(`${api.address}/metrics`)).text();
    const [waitingCount, deadCount] = [countJobs(metrics, 'waiting'), countJobs(metrics, 'given_up')];
    if (deadCount > 0) throw new Error(`${deadCount} texts could not be embedded`);
    if (waitingCount < waitingCountMin) {
      progress.advance(waitingCountMin - waitingCount);
      [waitingCountMin, progressedAt] = [waitingCount, Date.now()];
    }
    if (waitingCount === 0) return;
    if (Date.now() - progressedAt > stallMaxMs)
      throw new Error(`No text was embedded for ${stallMaxMs / 1_000} s, and ${waitingCount} are pending`);
  }
};

const countJobs = (metrics: string, state: string): number => {
  const count = new RegExp(`^outbox_jobs\\{state="${state}"\\} (\\d+)`, 'm').exec(metrics)?.[1];
  if (count === undefined) throw new Error('The service does not report its jobs');
  return Number(count);
};
