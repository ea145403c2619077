/** A part of migration 0006: stores webhooks with their sealed secrets and their last deliveries. */
export const createWebhookTables = (
  text: string,
  buildReference: (table: string, column: string, target: string) => string,
): readonly string[] => [
  `create table webhooks (
    id ${text} not null primary key,
    url ${text} not null,
    description ${text} not null,
    events ${text} not null,
    is_active boolean not null,
    sealed ${text} null,
    previous_until bigint null,
    failing_since bigint null,
    created_by ${text} null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table webhook_deliveries (
    id ${text} not null primary key,
    webhook_id ${text} not null,
    message_id ${text} not null,
    event ${text} not null,
    attempted_at bigint not null,
    attempt bigint not null,
    status bigint null,
    error ${text} null,
    duration_ms bigint not null,
    next_attempt_at bigint null,
    ${buildReference('webhook_deliveries', 'webhook_id', 'webhooks')}
  )`,
  'create index webhook_deliveries_webhook_index on webhook_deliveries (webhook_id, attempted_at, id)',
];
