import { setTimeout as pause } from 'node:timers/promises';
import { localAdmin, openLocalIssuer, readConfig, type Environment } from '@portico/composition';
import { createApiClient, type ApiClient, type Credential } from '../api-client.ts';
import { startService } from '../service-process.ts';
import type { JudgedApi, JudgedCollections } from './judged-collections.ts';
import type { Progress } from './progress.ts';

/** One result of a search, by the id of the corpus. */
export interface Found {
  readonly id: string;
  readonly score: number;
}

export interface ServiceAnswers {
  /** The id of the model that the service embeds with. */
  readonly model: string;
  /** The results of each query, best first, in the order of the queries. */
  readonly results: readonly (readonly Found[])[];
}

const resultsMax = 100;
const creationsAtOnce = 8;
/** How long embedding may make no progress. */
const standstillMaxMs = 300_000;
/** How long the embedder may give the same reason for not working: a model server may still be fetching its model. */
const sameReasonMaxMs = 60_000;

/** Starts the service, gives it the corpus over HTTP, and asks it every query as an admin. */
export const searchByService = async (
  environment: Environment,
  { apis, queries }: JudgedCollections,
  progress: Progress,
): Promise<ServiceAnswers> => {
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The evaluation needs the local issuer');
  const admin: Credential = { token: await issuer.mint({ ...localAdmin, emailVerified: true, ttlSeconds: 86_400 }) };
  const service = await startService(environment);
  try {
    const api = createApiClient(service.address);
    const model = await untilEmbedderWorks(api, progress);
    const idOf = await createAll(api, admin, apis, progress);
    await untilEmbedded(api, apis.length, progress);
    const nameOf = new Map(apis.map(({ id, name }) => [id, name.trim()]));
    const results: (readonly Found[])[] = [];
    progress.begin('Searching', queries.length);
    for (const { text } of queries) {
      const answer = await api.ask<readonly { collection_id: string; similarity_score: number }[]>(
        admin,
        'POST',
        '/api/vector/search',
        { query: text, k_limit: resultsMax },
      );
      results.push(
        answer
          .map((result) => ({ id: idOf.get(result.collection_id) ?? '', score: result.similarity_score }))
          .sort(byScoreNameAndId(nameOf)),
      );
      progress.advance();
    }
    progress.end();
    return { model, results };
  } finally {
    await service.stop();
  }
};

/** As the service orders, but with the ids of the corpus: those of the collections differ at each run. */
const byScoreNameAndId = (nameOf: ReadonlyMap<string, string>) => (x: Found, y: Found) =>
  y.score - x.score || compareText(nameOf.get(x.id) ?? '', nameOf.get(y.id) ?? '') || compareText(x.id, y.id);

const compareText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);

const untilEmbedderWorks = async (api: ApiClient, progress: Progress): Promise<string> => {
  let told = '';
  for (let toldAt = Date.now(); ; await pause(1_000)) {
    const { body } = await api.call(null, 'GET', '/api/vector/health');
    const { embedder } = body as { embedder: { status: string; reason?: string; model: string | null } };
    if (embedder.status === 'healthy' && embedder.model !== null) return embedder.model;
    const reason = embedder.reason ?? 'it does not say why';
    if (reason === told && Date.now() - toldAt > sameReasonMaxMs)
      throw new Error(`The embedder does not work: ${reason}`);
    if (reason === told) continue;
    progress.note(`Waiting for the embedder: ${reason}`);
    [told, toldAt] = [reason, Date.now()];
  }
};

/** Adds a collection for each API; returns the corpus's id of each collection. */
const createAll = async (
  api: ApiClient,
  admin: Credential,
  apis: readonly JudgedApi[],
  progress: Progress,
): Promise<ReadonlyMap<string, string>> => {
  const idOf = new Map<string, string>();
  const waiting = apis.values();
  progress.begin('Creating collections', apis.length);
  await Promise.all(
    Array.from({ length: creationsAtOnce }, async () => {
      for (const { id, name, description, fail } of waiting) {
        const openapi_spec = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
        const body = { name, description, openapi_spec };
        const answer = await api.call(admin, 'POST', '/api/collections/', body);
        if (answer.status !== 201) throw fail(`the service refused it: ${JSON.stringify(answer.body)}`);
        idOf.set((answer.body as { id: string }).id, id);
        progress.advance();
      }
    }),
  );
  return idOf;
};

/** Waits until no job waits. A text that could not be embedded is an error: the figures would not be the embedder's. */
const untilEmbedded = async (api: ApiClient, total: number, progress: Progress): Promise<void> => {
  progress.begin('Embedding', total);
  let least = total;
  for (let movedAt = Date.now(); ; await pause(200)) {
    const metrics = await (await fetch(`${api.address}/metrics`)).text();
    const [waiting, dead] = [jobsIn(metrics, 'waiting'), jobsIn(metrics, 'given_up')];
    if (dead > 0) throw new Error(`${dead} texts could not be embedded`);
    if (waiting < least) {
      progress.advance(least - waiting);
      [least, movedAt] = [waiting, Date.now()];
    }
    if (waiting === 0) return;
    if (Date.now() - movedAt > standstillMaxMs)
      throw new Error(`Nothing was embedded for ${standstillMaxMs / 1_000} s, and ${waiting} texts wait`);
  }
};

const jobsIn = (metrics: string, state: string): number => {
  const count = new RegExp(`^outbox_jobs\\{state="${state}"\\} (\\d+)`, 'm').exec(metrics)?.[1];
  if (count === undefined) throw new Error('The service does not report its jobs');
  return Number(count);
};
