import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { listOf, object } from '../shapes.ts';

export const searchEndpoints: Endpoints = {
  'POST /api/vector/search': {
    auth: 'token or key',
    status: 200,
    answer: listOf(['collection_id', 'collection_name', 'similarity_score']),
    aim: () => ({ json: { query: 'weather forecast', k_limit: 100 } }),
    visible: 'collection_id',
    holds: ({ list }) => {
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
    volatile: ['similarity_score'],
  },
  'GET /api/vector/health': {
    auth: 'free',
    status: 200,
    answer: object(['status', 'embedder', 'index', 'dimension'], {
      embedder: ['status', 'model'],
      index: ['status', 'kind'],
    }),
    aim: () => ({}),
    holds: ({ body }) => expect(body).toMatchObject({ status: 'healthy', dimension: 768 }),
    volatile: ['model', 'kind'],
  },
  'POST /api/vector/reindex': {
    auth: 'admin',
    status: 202,
    answer: object(['message', 'job_id']),
    aim: () => ({}),
  },
  'GET /api/vector/reindex': {
    auth: 'admin',
    status: 200,
    answer: object(['job_id', 'status', 'total', 'done', 'failed', 'started_at', 'model_change', 'operations'], {
      operations: ['total', 'done', 'failed'],
    }),
    aim: () => ({}),
    volatile: ['job_id', 'status', 'total', 'done', 'failed', 'started_at'],
  },
};
