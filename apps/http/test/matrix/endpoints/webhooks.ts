import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { empty, text } from '../shapes.ts';
import { unknownId, type World } from '../world.ts';

const sharedTarget = ({ webhook }: World) => ({ params: { webhook_id: webhook } });
const createTarget = async ({ make, apiUrl }: World) => ({ params: { webhook_id: await make.webhook(apiUrl) } });

const url = 'https://hooks.example.com/portico';
const badFields = [
  { url: 7 },
  { url: 'hooks.example.com' },
  { url: 'ftp://hooks.example.com' },
  { url: 'http://hooks.example.com.\u00fc' },
  { url: 'https://ada:secret@hooks.example.com' },
  { url: 'https://hooks.example.com/#fragment' },
  { url: `https://hooks.example.com/${'x'.repeat(2_000)}` },
  { url: 'http://192.0.2.1/hook' },
  { events: [] },
  { events: ['collection.exploded'] },
  { events: ['webhook.test'] },
  { events: ['key.rotated', 'key.rotated'] },
  { events: 'key.rotated' },
  { active: 'yes' },
  { description: 7 },
  { description: 'x'.repeat(1_001) },
];
const badQueries = ['?limit=0', '?limit=1001', '?cursor=1', `?cursor=1234567890123456.${unknownId}`];
const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/;

export const webhookEndpoints: Endpoints = {
  'POST /api/webhooks': {
    target: () => ({ json: { url, active: false } }),
    verify: ({ body, headers }, caller) => {
      expect(body).toMatchObject({ url, active: false, created_by: caller.id, has_secret: true, failing_since: null });
      expect(body.secret).toMatch(secretPattern);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', location: `/api/webhooks/${String(body.id)}` });
    },
    badBodies: [{}, ...badFields.map((fields) => ({ url, active: false, ...fields }))],
  },
  'GET /api/webhooks': {
    target: () => ({}),
    verify: ({ list, text: body }, _caller, { webhook, apiUrl }) => {
      expect(list.find(({ id }) => id === webhook)).toMatchObject({ url: apiUrl, active: false });
      expect(body).not.toContain('whsec_');
    },
    badQueries,
  },
  'GET /api/webhooks/{webhook_id}': {
    target: sharedTarget,
    verify: ({ body, text: bodyText }, _caller, { webhook }) => {
      expect(body).toMatchObject({ id: webhook, active: false });
      expect(bodyText).not.toContain('whsec_');
    },
  },
  'PUT /api/webhooks/{webhook_id}': {
    target: (world) => ({ ...sharedTarget(world), json: { description: 'Chat' } }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { description: 'Chat' } }),
    verify: ({ body }) => expect(body.description).toBe('Chat'),
    badBodies: badFields,
  },
  'DELETE /api/webhooks/{webhook_id}': { response: empty, target: sharedTarget, freshTarget: createTarget },
  'POST /api/webhooks/{webhook_id}/rotate': {
    target: sharedTarget,
    freshTarget: createTarget,
    verify: ({ body, headers }) => {
      expect(body.secret).toMatch(secretPattern);
      expect(headers['cache-control']).toBe('no-store');
    },
  },
  'POST /api/webhooks/{webhook_id}/test': {
    target: sharedTarget,
    freshTarget: createTarget,
    verify: ({ body }) => expect(body).toMatchObject({ event: 'webhook.test', attempt: 1, error: null, status: 200 }),
    volatileFields: ['duration_ms'],
  },
  'GET /api/webhooks/{webhook_id}/deliveries': {
    target: sharedTarget,
    response: text('application/json; charset=utf-8', /^\[.*\]$/),
    badQueries,
  },
};
