import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { object } from '../shapes.ts';
import { smallOperationKey, targetSecret, type World } from '../world.ts';
import { noAccessErrors } from './collections.ts';

const sharedTarget = ({ granted }: World) => ({ params: { collection_id: granted } });

/** Returns an operation of an API on the loopback interface, for which the clients with access have a grant. */
const createCallableTarget = async ({ make, people, apiUrl }: World) => {
  const collection = await make.collection(undefined, {
    base_url: `${apiUrl}/v1`,
    authentication: { type: 'apiKey', name: 'X-Weather-Key', in: 'header', value: targetSecret },
  });
  const { granted, pendingGranted, expiredKey, demoted, member, memberByClaim } = people;
  for (const person of [granted, pendingGranted, expiredKey, demoted, member, memberByClaim])
    await make.grant(person, collection);
  return { params: { collection_id: collection, operation_key: smallOperationKey }, json: { arguments: {} } };
};

const operationFields = ['operation_key', 'method', 'path', 'operation_id', 'summary'];

export const operationEndpoints: Endpoints = {
  'POST /api/operations/search': {
    target: () => ({ json: { query: 'read the weather forecast', k_limit: 100 } }),
    collectionField: 'collection_id',
    verify: ({ list }) => {
      const scores = list.map((entry) => Number(entry.score));
      expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    },
    badBodies: [
      {},
      { query: '' },
      { query: 7 },
      { query: 'x'.repeat(2_001) },
      { query: 'x', k_limit: 0 },
      { query: 'x', k_limit: 101 },
      { query: 'x', collection_id: 7 },
      { query: 'x', method: 'CONNECT' },
      { query: 'x', method: ['GET'] },
    ],
    volatileFields: ['score'],
  },
  'GET /api/collections/{collection_id}/operations': {
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ list, headers }) => {
      expect(list).toMatchObject([{ operation_key: smallOperationKey, method: 'GET', path: '/forecast' }]);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
    badQueries: ['?limit=0', '?limit=1001', '?limit=many', '?limit=1&limit=2', '?cursor=x', `?q=${'x'.repeat(201)}`],
  },
  'GET /api/collections/{collection_id}/operations/{operation_key}': {
    response: object(
      [
        'collection_id',
        'collection_name',
        ...operationFields,
        'url',
        'servers',
        'description',
        'deprecated',
        'tags',
        'authentication',
        'parameters',
        'request_body',
        'responses',
        'truncated',
        'call',
        'curl',
      ],
      {},
    ),
    target: ({ granted }) => ({ params: { collection_id: granted, operation_key: smallOperationKey } }),
    specialErrors: noAccessErrors,
    verify: ({ body, headers, text }) => {
      expect(body).toMatchObject({
        url: 'https://api.example.com/v1/forecast',
        authentication: [[{ type: 'apiKey', name: 'X-Weather-Key', in: 'header', stored: true }]],
      });
      expect(text).not.toContain(targetSecret);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
    badQueries: ['?detail=all', '?as=yaml', '?max_bytes=1023', '?max_bytes=262145', '?max_bytes=many'],
  },
  'POST /api/collections/{collection_id}/operations/{operation_key}/prepare': {
    response: object(['method', 'url', 'headers', 'body', 'credentials', 'curl', 'warnings'], {}),
    target: ({ granted }) => ({
      params: { collection_id: granted, operation_key: smallOperationKey },
      json: { arguments: {} },
    }),
    specialErrors: noAccessErrors,
    verify: ({ body, text }) => {
      expect(body).toMatchObject({ method: 'GET', url: 'https://api.example.com/v1/forecast', body: null });
      expect(text).not.toContain(targetSecret);
    },
    badBodies: [{}, { arguments: null }, { arguments: [] }, { arguments: 'x' }],
    badQueries: ['?samples=cobol', '?samples=python,', '?samples=Python', '?samples=go&samples=php'],
  },
  'POST /api/collections/{collection_id}/operations/{operation_key}/call': {
    response: object(['call_id', 'status', 'headers', 'body', 'truncated', 'duration_ms'], {}),
    target: ({ granted }) => ({
      params: { collection_id: granted, operation_key: smallOperationKey },
      json: { arguments: {} },
    }),
    freshTarget: createCallableTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, text }) => {
      expect(body).toMatchObject({ status: 200, truncated: false });
      expect(text).toContain('/v1/forecast');
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(targetSecret);
    },
    badBodies: [
      ...[{}, { arguments: null }, { arguments: [] }, { arguments: 'x' }],
      ...[99, 60_001, '100', 100.5].map((timeout_ms) => ({ arguments: {}, timeout_ms })),
      { arguments: {}, call_id: 'first' },
    ],
    volatileFields: ['headers', 'body', 'duration_ms'],
  },
};
