import { toIsoOrNull, operationProgress, toReasonView, timestamp, uuid } from './wire.ts';
import {
  searchQueryMax,
  type ModelChange,
  type OperationProgress,
  type PartState,
  type ReindexProgress,
  type VectorHealth,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { optional, text, wholeNumber } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';

const kLimitDefault = 10;

const search = z
  .object({
    query: text({ max: searchQueryMax }).meta({
      description: 'Natural language.',
      examples: ['weather forecast for a city'],
    }),
    k_limit: optional(wholeNumber(1, 100)).meta({
      default: kLimitDefault,
      description: 'The maximum number of results.',
    }),
  })
  .meta({ id: 'SearchQuery' });

const searchResult = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    deprecated: z.literal(true).optional().meta({ description: 'Present if the collection is deprecated.' }),
    similarity_score: z.number().min(0).max(1).meta({ description: 'Cosine similarity; higher is better.' }),
  })
  .meta({ id: 'SearchResult' });

const part = {
  status: z.enum(['healthy', 'unavailable']),
  reason: z.string().optional().meta({ description: 'The reason why it is unavailable, if known.' }),
};
const vectorHealth = z
  .object({
    status: z.enum(['healthy', 'unavailable']),
    embedder: z.object({ ...part, model: z.string().nullable() }),
    index: z.object({ ...part, kind: z.string() }),
    dimension: z.int(),
  })
  .meta({ id: 'VectorHealth' });

const reindexStart = z.object({ message: z.string(), job_id: uuid }).meta({ id: 'ReindexStart' });
const reindexProgress = z
  .object({
    job_id: uuid.nullable().meta({ description: 'null before the first run.' }),
    status: z.enum(['none', 'running', 'done']),
    total: z.int(),
    done: z.int(),
    failed: z.int(),
    started_at: timestamp.nullable(),
    operations: operationProgress.nullable().meta({
      description:
        'The progress of reading and embedding the operations of collections; null while the embedder is unavailable.',
    }),
    model_change: z
      .object({ from: z.string(), to: z.string(), total: z.int(), done: z.int(), failed: z.int() })
      .nullable()
      .meta({
        description:
          'null unless everything is being embedded with a different model, for example after an update. Until that is done, searches ' +
          'use the vectors of `from`.',
      }),
  })
  .meta({ id: 'ReindexProgress' });

export const searchRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/vector/search',
    operation: 'searchCollections',
    summary: 'Search collections in natural language',
    description:
      'Searches the collections that the caller may see, except retired ones. Highest score first; among equals, deprecated ' +
      'collections last. ' +
      'The header `X-Search-Mode: exact` means that the vector index is unavailable and the database compared ' +
      'the vectors one by one; the results are the same.',
    auth: 'token or key',
    scope: 'catalog:read',
    bodyKind: 'json',
    body: search,
    status: 200,
    linkParameters: { collection_id: '$response.body#/0/collection_id' },
    response: z.array(searchResult),
    errors: ['embedding_unavailable'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const limit = fields.k_limit ?? kLimitDefault;
      const { results, isFallback } = await useCases.searchCollections(caller.principal, fields.query, limit);
      return toJsonResponse(
        results.map(({ collectionId, collectionName, deprecated, score }) => ({
          collection_id: collectionId,
          collection_name: collectionName,
          ...(deprecated ? { deprecated } : {}),
          similarity_score: score,
        })),
        isFallback ? { 'X-Search-Mode': 'exact' } : {},
      );
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/vector/health',
    operation: 'readVectorHealth',
    summary: 'Check whether search works',
    description: 'Returns the state of the embedder and of the index.',
    auth: 'free',
    status: 200,
    response: vectorHealth,
    alternativeStatuses: { 503: 'The embedder or the index is unavailable; the body says which.' },
    handler: async ({ useCases }) => {
      const health = await useCases.readVectorHealth();
      return toJsonResponse(toVectorHealthView(health), {}, health.healthy ? 200 : 503);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/vector/reindex',
    operation: 'startReindex',
    summary: 'Embed every collection again',
    description: 'Runs in the background. If a run is already in progress, returns its id.',
    auth: 'admin',
    scope: 'catalog:write',
    status: 202,
    response: reindexStart,
    handler: async ({ useCases, caller }) => {
      const { id } = await useCases.startReindex(caller.authority);
      return toJsonResponse({ message: 'Re-indexing started', job_id: id });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/vector/reindex',
    operation: 'readReindex',
    summary: 'Read the progress of the last re-indexing',
    description:
      'The status is `none` before the first run. `done` counts embedded collections; `failed` counts those whose job is a dead letter.',
    auth: 'admin',
    scope: 'catalog:read',
    status: 200,
    response: reindexProgress,
    handler: async ({ useCases }) =>
      toJsonResponse(
        toReindexView(
          await useCases.readReindex(),
          await useCases.readModelChange(),
          await useCases.readOperationProgress(),
        ),
      ),
  }),
] as const;

const toVectorHealthView = ({ healthy, embedder, index, dimension }: VectorHealth): z.input<typeof vectorHealth> => ({
  status: healthy ? 'healthy' : 'unavailable',
  embedder: { ...toPartView(embedder), model: embedder.model },
  index: { ...toPartView(index), kind: index.kind },
  dimension,
});

const toPartView = (state: PartState) => ({
  status: state.status === 'ok' ? ('healthy' as const) : ('unavailable' as const),
  ...toReasonView(state),
});

const toReindexView = (
  progress: ReindexProgress | null,
  modelChange: ModelChange | null,
  operations: OperationProgress | null,
): z.input<typeof reindexProgress> => ({
  job_id: progress?.jobId ?? null,
  status: progress?.status ?? 'none',
  total: progress?.total ?? 0,
  done: progress?.done ?? 0,
  failed: progress?.failed ?? 0,
  started_at: toIsoOrNull(progress?.startedAt ?? null),
  model_change: modelChange,
  operations: operations && { ...operations },
});
