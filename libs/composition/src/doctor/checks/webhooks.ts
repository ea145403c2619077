import { failingTooLongMs, formatMinute, type Instant, type Webhook } from '@portico/domain';
import { systemClock } from '@portico/system';
import { pass, warn, type Check, type Finding } from '../check.ts';
import { checkStores } from '../check-stores.ts';

export const webhookChecks: readonly Check[] = [
  {
    id: 'webhooks',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ webhooks }) => checkWebhooks(await webhooks.list(), systemClock.now()),
      () => pass('There are no webhooks yet.'),
    ),
    advice: 'Check "portico webhooks list".',
  },
];

/** Reports the active webhooks whose deliveries have failed for an hour. Their addresses may contain a secret. */
export const checkWebhooks = (webhooks: readonly Webhook[], now: Instant): Finding => {
  const failingWebhooks = webhooks.flatMap(({ id, isActive, failingSince }) =>
    isActive && failingSince !== null && now - failingSince > failingTooLongMs ? [{ id, failingSince }] : [],
  );
  if (failingWebhooks.length === 0) return pass('No webhook has failed for long.');
  const list = failingWebhooks.map(({ id, failingSince }) => `${id} since ${formatMinute(failingSince)}`).join(', ');
  return warn(
    `${failingWebhooks.length === 1 ? 'A webhook fails' : `${failingWebhooks.length} webhooks fail`}: ${list}.`,
    '"portico webhooks deliveries ID" shows the reasons; deactivate those that are no longer needed.',
  );
};
