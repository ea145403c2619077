import { webhookStoreContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, addDelivery, find, list, listDeliveries, remove, update } = breachesOf('webhooks');

proveStores('the memory webhook store', webhookStoreContract, {
  'looking up a webhook by its id returns it exactly as it was added': find.mapResult(
    (webhook) => webhook && { ...webhook, createdBy: null },
  ),
  'looking up an id without a webhook returns nothing': find.replaceWith(
    async ([id], original) => (await original.find(id)) ?? (await original.list())[0] ?? null,
  ),
  'the decision about a new webhook sees the number of stored webhooks': add.mapDecisionInput(([count]) => [
    Math.min(count, 1),
  ]),
  'concurrent additions of webhooks each see the previous one': add.applyStaleDecision(),
  'adding a webhook writes its effects': add.dropEffects(),
  'adding a webhook rethrows an error from the decision and writes nothing': add.ignoreErrors(),
  'webhooks are listed by creation time, then by id': list.mapResult((webhooks) => webhooks.toReversed()),
  'an update bases its decision on the current webhook, stores and returns the new one, and writes its effects':
    update.dropEffects(),
  'an update whose decision returns null or throws changes nothing': update.writeEntryOnFailure(),
  'updating a missing webhook throws before the decision is called': update.replaceWith(
    async ([id, decide], original, { webhooks }) => {
      const [webhook] = webhooks.values();
      return webhooks.has(id) || !webhook ? original.update(id, decide) : (decide(webhook)?.webhook ?? webhook);
    },
  ),
  'concurrent updates of the same webhook each see the previous update': update.applyStaleDecision(),
  'a removal bases its decision on the webhook, removes only this webhook with its deliveries, and writes its effects':
    remove.restoreAfter(({ deliveries }, [id]) => {
      const deliveriesBefore = deliveries.get(id) ?? [];
      return () => deliveries.set(id, deliveriesBefore);
    }),
  'a removal removes the jobs of the webhook, and no others': remove.runAfter(({ jobs }) => {
    jobs.clear();
  }),
  'a removal of a webhook rethrows an error from the decision and removes nothing': remove.writeEntryOnFailure(),
  'removing a missing webhook throws before the decision is called': remove.replaceWith(
    async ([id, decide], original, { webhooks }) => {
      const [webhook] = webhooks.values();
      if (webhooks.has(id) || !webhook) await original.remove(id, decide);
      else decide(webhook);
    },
  ),
  'deliveries are returned exactly as they were added, newest first, then by id': listDeliveries.mapResult(
    (deliveries) => deliveries.toSorted((a, b) => b.attemptedAt - a.attemptedAt || (a.id < b.id ? 1 : -1)).reverse(),
  ),
  'only the newest deliveries of each webhook are kept': addDelivery.restoreAfter(({ deliveries }, [delivery]) => {
    const before = deliveries.get(delivery.webhookId) ?? [];
    return () => deliveries.set(delivery.webhookId, [delivery, ...before]);
  }),
  'a webhook has been failing since the first failure after its last success': addDelivery.runAfter(
    ({ webhooks }, [{ webhookId, attemptedAt, error }]) => {
      const webhook = webhooks.get(webhookId);
      if (webhook) webhooks.set(webhookId, { ...webhook, failingSince: error === null ? null : attemptedAt });
    },
  ),
  'a delivery to a webhook that no longer exists is not stored': addDelivery.runAfter(({ deliveries }, [delivery]) => {
    deliveries.set(delivery.webhookId, [delivery]);
  }),
});
