import {
  deliveriesMax,
  eventsOf,
  PorticoError,
  type SealedWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookId,
  type WebhookStore,
} from '@portico/domain';
import { writeEffects } from './effects.ts';
import { WebhookDeliveryEntity, WebhookEntity } from './entities/webhook-entities.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, insertInto, omitNames, type Row, updateOf, write } from './table.ts';

export const createSqlWebhookStore = (database: SqlDatabase): WebhookStore => ({
  async add(decide) {
    await database.transact(async (transaction) => {
      const row = await transaction.first<{ webhooks: number }>(countWebhooks);
      const { webhook, ...effects } = decide(row?.webhooks ?? 0);
      await write(transaction, insertWebhook, toRow(webhook));
      await writeEffects(transaction, effects);
    });
  },

  async find(id) {
    const row = await database.reads.first<WebhookRow>(selectById, [id]);
    return row ? webhookOf(row) : null;
  },

  async list() {
    return (await database.reads.all<WebhookRow>(selectAll)).map(webhookOf);
  },

  update: (id, decide) =>
    database.transact(async (transaction) => {
      const current = await load(transaction, id);
      const change = decide(current);
      if (!change) return current;
      const webhook = { ...change.webhook, id };
      await write(transaction, updateWebhook, toRow(webhook));
      await writeEffects(transaction, change);
      return webhook;
    }),

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(await load(transaction, id));
      await transaction.run(deleteJobs, [id]);
      await transaction.run(deleteWebhook, [id]);
      await writeEffects(transaction, effects);
    });
  },

  async addDelivery(delivery) {
    const { webhookId, error, attemptedAt } = delivery;
    await database.transact(async (transaction) => {
      const changed = await (error === null
        ? transaction.run(markAsWorking, [webhookId])
        : transaction.run(markAsFailing, [attemptedAt, webhookId]));
      if (changed === 0) return;
      await write(transaction, insertDelivery, delivery);
      await transaction.run(deleteOldDeliveries, [webhookId, webhookId, deliveriesMax]);
    });
  },

  listDeliveries: (id) => database.reads.all<WebhookDelivery>(selectDeliveries, [id]),
});

/** Returns the webhooks that have a secret. */
export const listSealedWebhooks = (sql: Sql): Promise<readonly SealedWebhook[]> =>
  sql.all<SealedWebhook>('select w.id, w.sealed from webhooks w where w.sealed is not null');

/** Removes the secrets of a webhook and deactivates it, as part of another change. */
export const removeWebhookSecrets =
  'update webhooks set sealed = null, previous_until = null, is_active = false where id = ?';

type WebhookRow = Row<typeof WebhookEntity>;

const webhookColumns = columnsOf(WebhookEntity);
const insertWebhook = insertInto(WebhookEntity, webhookColumns);
const updateWebhook = updateOf(WebhookEntity, 'id', omitNames(webhookColumns, 'id'));
const deliveryColumns = columnsOf(WebhookDeliveryEntity);
const insertDelivery = insertInto(WebhookDeliveryEntity, deliveryColumns);

const webhooks = `select ${buildColumns('w', webhookColumns)} from webhooks w`;
const selectById = `${webhooks} where w.id = ?`;
const selectAll = `${webhooks} order by w.created_at, w.id`;
const countWebhooks = 'select count(*) as webhooks from webhooks';
const deleteWebhook = 'delete from webhooks where id = ?';
const deleteJobs = `delete from jobs where kind = 'webhook' and webhook_id = ?`;
const markAsWorking = 'update webhooks set failing_since = null where id = ?';
const markAsFailing = 'update webhooks set failing_since = coalesce(failing_since, ?) where id = ?';
const newestFirst = 'order by d.attempted_at desc, d.id desc';
const selectDeliveries = `select ${buildColumns('d', deliveryColumns)} from webhook_deliveries d
  where d.webhook_id = ? ${newestFirst}`;
const deleteOldDeliveries = `delete from webhook_deliveries where webhook_id = ? and id not in
  (select d.id from webhook_deliveries d where d.webhook_id = ? ${newestFirst} limit ?)`;

const load = async (sql: Sql, id: WebhookId): Promise<Webhook> => {
  const row = await sql.first<WebhookRow>(selectById, [id]);
  if (!row) throw new PorticoError('webhook_not_found');
  return webhookOf(row);
};

// SQLite returns booleans as 0 and 1. Ignores events that this version does not know.
const webhookOf = (row: WebhookRow): Webhook => ({
  ...row,
  events: eventsOf(row.events.split(' ')),
  isActive: Boolean(row.isActive),
});

const toRow = (webhook: Webhook): WebhookRow => ({ ...webhook, events: webhook.events.join(' ') });
