import type { Webhook, WebhookId } from '@portico/domain';
import { expect, test } from 'vitest';
import { checkWebhooks } from './webhooks.ts';

const hour = 3_600_000;
const now = Date.UTC(2031, 4, 6, 7, 8);

const createWebhook = (failingSince: number | null, isActive = true): Webhook => ({
  id: `id-${failingSince}` as WebhookId,
  url: 'https://hooks.example.com/s3cret',
  description: '',
  events: ['key.rotated'],
  isActive,
  sealed: null,
  previousUntil: null,
  failingSince,
  createdBy: null,
  createdAt: 0,
  updatedAt: 0,
});

test('webhooks that work, are inactive, or have failed for an hour at most are not reported', () => {
  const webhooks = [createWebhook(null), createWebhook(now - hour), createWebhook(0, false)];
  expect(checkWebhooks(webhooks, now)).toMatchObject({ state: 'ok' });
});

test('active webhooks that have failed for more than an hour are reported by their ids', () => {
  const failingSince = now - hour - 1;
  const finding = checkWebhooks([createWebhook(failingSince), createWebhook(null)], now);
  expect(finding).toMatchObject({
    state: 'warning',
    message: `A webhook fails: id-${failingSince} since 2031-05-06 06:07 UTC.`,
  });
  expect(JSON.stringify(finding)).not.toContain('s3cret');
});
