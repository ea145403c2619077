import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { linesOf, object } from '../shapes.ts';

const entry = ['id', 'message', 'timestamp'];
const badFilters = ['?from=yesterday', '?to=31.1.2026', '?source=nobody', '?include=everything', '?actor_id=me'];

export const auditEndpoints: Endpoints = {
  'POST /api/audit/': {
    target: () => ({ json: { message: { action: 'api_call', status_code: 200 }, timestamp: '2026-01-31T09:30:00Z' } }),
    verify: ({ body }) =>
      expect(body).toMatchObject({
        message: { action: 'api_call', status_code: 200 },
        timestamp: '2026-01-31T09:30:00Z',
      }),
    badBodies: [{}, { message: null }, { message: 'text' }, { message: [] }, { message: {}, timestamp: 'yesterday' }],
  },
  'GET /api/audit/': {
    response: object(['data', 'total', 'page', 'pageSize', 'totalPages'], { data: entry }),
    target: () => ({ query: '?action=standing' }),
    verify: ({ body }) => {
      expect(body).toMatchObject({ total: 1, page: 1, pageSize: 20, totalPages: 1 });
      expect(body.data).toMatchObject([{ message: { action: 'standing' }, timestamp: '2026-01-31T09:30:00+01:00' }]);
    },
    badQueries: ['?page=0', '?page=-1', '?page=1.5', '?page=first', '?pageSize=0', '?pageSize=x', ...badFilters],
  },
  'GET /api/audit/export': {
    response: linesOf(entry),
    target: () => ({ query: '?action=standing' }),
    badQueries: badFilters,
  },
};
