import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { listOf, message, object } from '../shapes.ts';

export const accessEndpoints: Endpoints = {
  'GET /api/access/clients/{client_profile_id}/collections': {
    auth: 'admin',
    status: 200,
    answer: listOf(['id', 'name', 'description', 'has_access', 'granted_at']),
    aim: ({ cast }) => ({ params: { client_profile_id: cast.granted.id } }),
    holds: ({ list }, _caller, { granted, hidden }) => {
      const has = (id: string) => list.filter((entry) => entry.id === id).map((entry) => entry.has_access);
      expect([has(granted), has(hidden)]).toEqual([[true], [false]]);
    },
  },
  'POST /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    auth: 'admin',
    status: 201,
    answer: object(['message', 'client_id', 'collection_id', 'granted_at']),
    aim: ({ cast, hidden }) => ({ params: { client_profile_id: cast.client.id, collection_id: hidden } }),
    freshAim: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pending', granted)).id, collection_id: granted },
    }),
    holds: ({ body }, _caller, { granted }) => expect(body.collection_id).toBe(granted),
  },
  'DELETE /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    auth: 'admin',
    status: 200,
    answer: message,
    aim: ({ cast, granted }) => ({ params: { client_profile_id: cast.granted.id, collection_id: granted } }),
    freshAim: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pendingGranted', granted)).id, collection_id: granted },
    }),
  },
  'GET /api/access/collections/{collection_id}/clients': {
    auth: 'admin',
    status: 200,
    answer: listOf(['client_id', 'email', 'full_name', 'company_name', 'granted_at']),
    aim: ({ granted }) => ({ params: { collection_id: granted } }),
    holds: ({ list }, _caller, { cast }) => {
      const ids = list.map((entry) => entry.client_id);
      expect(ids).toContain(cast.granted.id);
      expect(ids).not.toContain(cast.client.id);
      expect(ids).not.toContain(cast.deleted.id);
    },
  },
};
