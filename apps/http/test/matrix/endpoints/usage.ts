import type { Endpoints } from '../endpoint.ts';
import { text } from '../shapes.ts';

export const usageEndpoints: Endpoints = {
  'GET /api/usage': {
    response: text('application/json; charset=utf-8', /^\[.*\]$/),
    target: () => ({}),
    badQueries: [
      '?by=week',
      '?by=day,collection',
      '?by=operations',
      '?by=day&by=day',
      '?from=yesterday',
      '?to=31.1.2026',
      '?profile_id=me',
      '?collection_id=weather',
    ],
  },
};
