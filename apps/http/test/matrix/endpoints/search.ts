import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { listOf, object } from '../shapes.ts';

export const searchEndpoints: Endpoints = {
  'POST /api/vector/search': {
    response: listOf(['collection_id', 'collection_name', 'similarity_score']),
    target: () => ({ json: { query: 'weather forecast', k_limit: 100 } }),
    collectionField: 'collection_id',
    verify: ({ list }) => {
      const scores = list.map((entry) => Number(entry.similarity_score));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    },
    badBodies: [
      {},
      { query: '' },
      { query: 7 },
      { query: 'x'.repeat(2_001) },
      { query: 'x', k_limit: 0 },
      { query: 'x', k_limit: 101 },
    ],
    volatileFields: ['similarity_score'],
  },
  'GET /api/vector/health': {
    response: object(['status', 'embedder', 'index', 'dimension'], {
      embedder: ['status', 'model'],
      index: ['status', 'kind'],
    }),
    target: () => ({}),
    verify: ({ body }) => expect(body).toMatchObject({ status: 'healthy', dimension: 768 }),
    volatileFields: ['model', 'kind'],
  },
  'POST /api/vector/reindex': {
    target: () => ({}),
  },
  'GET /api/vector/reindex': {
    target: () => ({}),
    volatileFields: ['job_id', 'status', 'total', 'done', 'failed', 'started_at'],
  },
};
