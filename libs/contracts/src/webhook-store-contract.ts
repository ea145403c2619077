import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { deliveriesMax, webhookEvents, type Webhook } from '@portico/domain';
import { assertRejects, assertWritten, enqueueJobs, failDecision, findDueJobs } from './assertions.ts';
import type { Contract } from './contract.ts';
import { aJob, endOfTime, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { aDelivery, aWebhook, aWebhookJob } from './webhook-records.ts';

/** The contract of `WebhookStore`. */
export const webhookStoreContract = {
  'looking up a webhook by its id returns it exactly as it was added': async (stores) => {
    const webhook = await addWebhook(stores, aWebhook({ events: [...webhookEvents], failingSince: start + 5 }));
    const plainWebhook = await addWebhook(
      stores,
      aWebhook({ description: '', isActive: false, sealed: null, previousUntil: null, createdBy: null }),
    );
    for (const addedWebhook of [webhook, plainWebhook])
      deepStrictEqual(await stores.webhooks.find(addedWebhook.id), addedWebhook);
  },

  'looking up an id without a webhook returns nothing': async (stores) => {
    await addWebhook(stores);
    strictEqual(await stores.webhooks.find(nextId()), null);
  },

  'the decision about a new webhook sees the number of stored webhooks': async (stores) => {
    deepStrictEqual(
      await addAndCount(stores, 3, (add) => add.reduce((last, next) => last.then(next), noWork())),
      [0, 1, 2],
    );
  },

  'concurrent additions of webhooks each see the previous one': async (stores) => {
    const counts = await addAndCount(stores, 10, (add) => Promise.all(add.map((next) => next())));
    deepStrictEqual(
      counts.toSorted((a, b) => a - b),
      Array.from({ length: 10 }, (_, index) => index),
    );
  },

  'adding a webhook writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.webhooks.add(() => ({ webhook: aWebhook(), ...effects }));
    await assertWritten(stores, effects);
  },

  'adding a webhook rethrows an error from the decision and writes nothing': async (stores) => {
    await assertRejects(stores.webhooks.add(failDecision), 'already_approved');
    deepStrictEqual(await stores.webhooks.list(), []);
    await assertWritten(stores);
  },

  'webhooks are listed by creation time, then by id': async (stores) => {
    const [first, second, third] = [aWebhook(), aWebhook(), aWebhook({ createdAt: start - 1 })];
    for (const webhook of [second, first, third]) await addWebhook(stores, webhook);
    deepStrictEqual(await stores.webhooks.list(), [third, first, second]);
  },

  'an update bases its decision on the current webhook, stores and returns the new one, and writes its effects': async (
    stores,
  ) => {
    const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
    const updatedWebhook = aWebhook({
      ...webhook,
      url: 'https://else.example.com',
      events: ['access.requested'],
      isActive: false,
      sealed: 'YW5ldw',
      previousUntil: null,
      failingSince: start + 3,
      updatedAt: start + 9,
    });
    const effects = someEffects();
    let capturedWebhook: Webhook | null = null;
    const result = await stores.webhooks.update(webhook.id, (current) => {
      capturedWebhook = current;
      return { webhook: updatedWebhook, ...effects };
    });
    deepStrictEqual([capturedWebhook, result], [webhook, updatedWebhook]);
    deepStrictEqual(await stores.webhooks.list(), [updatedWebhook, otherWebhook]);
    await assertWritten(stores, effects);
  },

  'an update whose decision returns null or throws changes nothing': async (stores) => {
    const webhook = await addWebhook(stores);
    deepStrictEqual(await stores.webhooks.update(webhook.id, () => null), webhook);
    await assertRejects(stores.webhooks.update(webhook.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.webhooks.list(), [webhook]);
    await assertWritten(stores);
  },

  'updating a missing webhook throws before the decision is called': async (stores) => {
    await addWebhook(stores);
    await assertRejects(stores.webhooks.update(nextId(), failDecision), 'webhook_not_found');
  },

  'concurrent updates of the same webhook each see the previous update': async (stores) => {
    const webhook = await addWebhook(stores);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        stores.webhooks.update(webhook.id, (current) => ({
          webhook: { ...current, updatedAt: current.updatedAt + 1 },
          ...noEffects,
        })),
      ),
    );
    strictEqual((await stores.webhooks.find(webhook.id))?.updatedAt, webhook.updatedAt + 20);
  },

  'a removal bases its decision on the webhook, removes only this webhook with its deliveries, and writes its effects':
    async (stores) => {
      const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
      const otherDelivery = aDelivery(otherWebhook);
      for (const delivery of [aDelivery(webhook), otherDelivery]) await stores.webhooks.addDelivery(delivery);
      const effects = someEffects();
      let capturedWebhook: Webhook | null = null;
      await stores.webhooks.remove(webhook.id, (current) => {
        capturedWebhook = current;
        return effects;
      });
      deepStrictEqual(capturedWebhook, webhook);
      deepStrictEqual(await stores.webhooks.list(), [otherWebhook]);
      deepStrictEqual(await stores.webhooks.listDeliveries(webhook.id), []);
      deepStrictEqual(await stores.webhooks.listDeliveries(otherWebhook.id), [otherDelivery]);
      await assertWritten(stores, effects);
    },

  'a removal removes the jobs of the webhook, and no others': async (stores) => {
    const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
    const otherJobs = [aWebhookJob(otherWebhook), aJob()] as const;
    await enqueueJobs(stores, aWebhookJob(webhook), ...otherJobs);
    await stores.webhooks.remove(webhook.id, () => noEffects);
    deepStrictEqual(
      (await findDueJobs(stores, endOfTime, 9)).toSorted(),
      otherJobs.map(({ id }) => id),
    );
  },

  'a removal of a webhook rethrows an error from the decision and removes nothing': async (stores) => {
    const webhook = await addWebhook(stores);
    await assertRejects(stores.webhooks.remove(webhook.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.webhooks.list(), [webhook]);
    await assertWritten(stores);
  },

  'removing a missing webhook throws before the decision is called': async (stores) => {
    await addWebhook(stores);
    await assertRejects(stores.webhooks.remove(nextId(), failDecision), 'webhook_not_found');
  },

  'deliveries are returned exactly as they were added, newest first, then by id': async (stores) => {
    const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
    const failedDelivery = aDelivery(webhook, {
      event: 'webhook.test',
      attempt: 7,
      status: null,
      error: 'größe 愛',
      durationMs: 0,
      nextAttemptAt: endOfTime,
    });
    const [first, last] = [aDelivery(webhook), aDelivery(webhook, { attemptedAt: start + 1 })];
    for (const delivery of [last, failedDelivery, first, aDelivery(otherWebhook)])
      await stores.webhooks.addDelivery(delivery);
    deepStrictEqual(await stores.webhooks.listDeliveries(webhook.id), [last, first, failedDelivery]);
  },

  'only the newest deliveries of each webhook are kept': async (stores) => {
    const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
    const otherDelivery = aDelivery(otherWebhook, { attemptedAt: start - 9 });
    const deliveries = Array.from({ length: deliveriesMax + 1 }, (_, index) =>
      aDelivery(webhook, { attemptedAt: start + index }),
    );
    for (const delivery of [otherDelivery, ...deliveries.slice(0, -1)]) await stores.webhooks.addDelivery(delivery);
    strictEqual((await stores.webhooks.listDeliveries(webhook.id)).length, deliveriesMax);
    await stores.webhooks.addDelivery(deliveries.at(-1) ?? otherDelivery);
    deepStrictEqual(await stores.webhooks.listDeliveries(webhook.id), deliveries.slice(1).reverse());
    deepStrictEqual(await stores.webhooks.listDeliveries(otherWebhook.id), [otherDelivery]);
  },

  'a webhook has been failing since the first failure after its last success': async (stores) => {
    const [webhook, otherWebhook] = [await addWebhook(stores), await addWebhook(stores)];
    const failingSince = async () => (await stores.webhooks.find(webhook.id))?.failingSince;
    const results: unknown[] = [];
    for (const [index, error] of ['down', 'down', null, 'down', null].entries()) {
      await stores.webhooks.addDelivery(aDelivery(webhook, { attemptedAt: start + index, error }));
      results.push(await failingSince());
    }
    deepStrictEqual(results, [start, start, null, start + 3, null]);
    deepStrictEqual(await stores.webhooks.find(otherWebhook.id), otherWebhook);
  },

  'a delivery to a webhook that no longer exists is not stored': async (stores) => {
    const webhook = aWebhook();
    await stores.webhooks.addDelivery(aDelivery(webhook));
    deepStrictEqual(await stores.webhooks.listDeliveries(webhook.id), []);
  },
} satisfies Contract<Stores>;

const addWebhook = async ({ webhooks }: Stores, webhook = aWebhook()): Promise<Webhook> => {
  await webhooks.add(() => ({ webhook, ...noEffects }));
  return webhook;
};

const noWork = (): Promise<unknown> => Promise.resolve();

/** Adds webhooks in the given way; returns the counts that the decisions saw, without repeated decisions. */
const addAndCount = async (
  { webhooks }: Stores,
  length: number,
  run: (additions: readonly (() => Promise<unknown>)[]) => Promise<unknown>,
): Promise<readonly number[]> => {
  const counts = new Set<number>();
  const add = () =>
    webhooks.add((count) => {
      counts.add(count);
      return { webhook: aWebhook(), ...noEffects };
    });
  await run(Array.from({ length }, () => add));
  return [...counts];
};
