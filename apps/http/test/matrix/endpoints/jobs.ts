import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { unknownId, type World } from '../world.ts';

const counts = ['waiting', 'running', 'retrying', 'dead', 'next_retry_at', 'oldest_due_at'];

const sharedTarget = ({ job }: World) => ({ params: { job_id: job } });
const createTarget = async ({ make, people }: World) => ({ params: { job_id: await make.deadLetter(people.client) } });

export const jobEndpoints: Endpoints = {
  'GET /api/jobs': {
    target: () => ({}),
    verify: ({ body }) =>
      expect(body.kinds).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'mail.resumption' })])),
    volatileFields: [...counts, 'oldest_due_seconds', 'runs_here', 'seems_stopped', 'kinds'],
  },
  'GET /api/jobs/dead': {
    target: () => ({ query: '?limit=1000' }),
    verify: ({ list }, _caller, { job, people }) =>
      expect(list.find(({ id }) => id === job)).toMatchObject({
        kind: 'mail.resumption',
        profile_id: people.client.id,
        profile_email: people.client.email,
        collection_id: null,
        collection_name: null,
        attempts: 1,
        error: 'The mailbox is full',
        retryable: true,
      }),
    badQueries: ['?limit=0', '?limit=1001', '?limit=x', '?cursor=x', `?cursor=1.${unknownId}0`],
  },
  'POST /api/jobs/dead/{job_id}/retry': {
    target: sharedTarget,
    freshTarget: createTarget,
  },
  'POST /api/jobs/dead/retry': {
    target: ({ job }) => ({ json: { ids: [job, unknownId] } }),
    freshTarget: async ({ make, people }) => ({ json: { ids: [await make.deadLetter(people.client), unknownId] } }),
    verify: ({ body }) =>
      expect(body).toMatchObject({
        requeued: 1,
        outcomes: [{ outcome: 'requeued' }, { id: unknownId, outcome: 'not_given_up' }],
      }),
    badBodies: [
      { ids: [] },
      { ids: 'all' },
      { ids: ['x'] },
      { ids: [7] },
      { ids: Array.from({ length: 101 }, () => unknownId) },
    ],
    volatileFields: ['left'],
  },
  'DELETE /api/jobs/dead/{job_id}': {
    target: sharedTarget,
    freshTarget: createTarget,
  },
};
