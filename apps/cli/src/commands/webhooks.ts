import type { SubscribedEvent } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { Api, LineOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

type Webhook = LineOf<'GET /api/webhooks'>;
type Delivery = LineOf<'GET /api/webhooks/:webhook_id/deliveries'>;

const webhookFields = [
  'id',
  'url',
  'description',
  'events',
  'active',
  'has_secret',
  'previous_secret_until',
  'failing_since',
  'created_by',
  'created_at',
  'updated_at',
] as const satisfies (keyof Webhook)[];

const deliveryFields = [
  'id',
  'message_id',
  'event',
  'attempted_at',
  'attempt',
  'status',
  'error',
  'duration_ms',
  'next_attempt_at',
] as const satisfies (keyof Delivery)[];

export interface WebhookOptions {
  readonly url?: string;
  readonly description?: string;
  readonly event?: SubscribedEvent[];
  readonly active?: boolean;
}

export const listWebhooks = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const webhooks = await fetchWebhooks(api);
  const rows = webhooks.map((webhook) => [webhook.id, stateOf(webhook), webhook.url, webhook.events.join(' ')]);
  const views = webhooks.map((webhook) => pick(webhook, webhookFields));
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : ['There are no webhooks.']);
  return true;
};

/** Creates a webhook and prints its secret, which is not shown again. */
export const addWebhook = async (
  api: Api,
  terminal: Terminal,
  url: string,
  { description, event: events, active }: WebhookOptions,
): Promise<AllDone> => {
  const body = { url, description, events: events && [...new Set(events)], active };
  const issued = await api.call('POST /api/webhooks', { scope: null, body });
  return showSecret(terminal, issued, `Created the webhook ${issued.id}.`);
};

export const showWebhook = async (api: Api, terminal: Terminal, idOrUrl: string): Promise<AllDone> =>
  report(terminal, await findWebhook(api, idOrUrl));

export const setWebhook = async (
  api: Api,
  terminal: Terminal,
  idOrUrl: string,
  { event: events, ...options }: WebhookOptions,
): Promise<AllDone> => {
  const body = { ...options, ...(events ? { events: [...new Set(events)] } : {}) };
  if (Object.keys(body).length === 0) throw new OperatorError('nothing to change: see "portico webhooks set --help"');
  const { id: webhook_id } = await findWebhook(api, idOrUrl);
  return report(
    terminal,
    await api.call('PUT /api/webhooks/:webhook_id', { scope: null, params: { webhook_id }, body }),
  );
};

export const deleteWebhook = async (api: Api, terminal: Terminal, idOrUrl: string): Promise<AllDone> => {
  const webhook = await findWebhook(api, idOrUrl);
  await api.call('DELETE /api/webhooks/:webhook_id', { scope: null, params: { webhook_id: webhook.id } });
  terminal.printResult(pick(webhook, webhookFields), [`${webhook.id} is deleted.`]);
  return true;
};

/** Replaces the secret and prints the new one. */
export const rotateWebhook = async (api: Api, terminal: Terminal, idOrUrl: string): Promise<AllDone> => {
  const { id: webhook_id } = await findWebhook(api, idOrUrl);
  const issued = await api.call('POST /api/webhooks/:webhook_id/rotate', { scope: null, params: { webhook_id } });
  const until = issued.previous_secret_until;
  const note = until === null ? '' : ` The previous one also signs until ${toMinute(until)} UTC.`;
  return showSecret(terminal, issued, `Replaced the secret of ${issued.id}.${note}`);
};

/** Sends `webhook.test`. Returns whether the delivery succeeded. */
export const testWebhook = async (api: Api, terminal: Terminal, idOrUrl: string): Promise<AllDone> => {
  const { id: webhook_id } = await findWebhook(api, idOrUrl);
  const delivery = await api.call('POST /api/webhooks/:webhook_id/test', { scope: null, params: { webhook_id } });
  const outcome = delivery.error ?? `The receiver responded ${delivery.status}`;
  terminal.printResult(pick(delivery, deliveryFields), [`${outcome} (${delivery.duration_ms} ms)`]);
  return delivery.error === null;
};

export const listDeliveries = async (api: Api, terminal: Terminal, idOrUrl: string): Promise<AllDone> => {
  const { id: webhook_id } = await findWebhook(api, idOrUrl);
  const call = { scope: null, params: { webhook_id } };
  const deliveries = await api.call('GET /api/webhooks/:webhook_id/deliveries', call);
  const rows = deliveries.map((delivery) => [
    toMinute(delivery.attempted_at),
    delivery.event,
    `attempt ${delivery.attempt}`,
    `${delivery.status ?? '-'}`,
    `${delivery.duration_ms} ms`,
    delivery.next_attempt_at === null ? '' : `again ${toMinute(delivery.next_attempt_at)}`,
    delivery.error ?? '',
  ]);
  const views = deliveries.map((delivery) => pick(delivery, deliveryFields));
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : ['There are no deliveries.']);
  return true;
};

const fetchWebhooks = (api: Api): Promise<readonly Webhook[]> => api.call('GET /api/webhooks', { scope: null });

/** Returns the webhook with this id, or the only one with this address. */
const findWebhook = async (api: Api, idOrUrl: string): Promise<Webhook> => {
  const key = idOrUrl.trim();
  const matches = (await fetchWebhooks(api)).filter(({ id, url }) => id === key.toLowerCase() || url === key);
  const [webhook, ...others] = matches;
  if (!webhook) throw new OperatorError(`there is no webhook ${idOrUrl}: see "portico webhooks list"`);
  if (others.length > 0)
    throw new OperatorError(
      `several webhooks have this address: pass an id (${matches.map(({ id }) => id).join(', ')})`,
    );
  return webhook;
};

const stateOf = ({ active, failing_since }: Webhook): string => {
  if (!active) return 'inactive';
  return failing_since === null ? 'active' : `failing since ${toMinute(failing_since)}`;
};

const toMinute = (time: string): string => time.slice(0, 16).replace('T', ' ');

const report = (terminal: Terminal, webhook: Webhook): AllDone => {
  terminal.printResult(pick(webhook, webhookFields), [
    `${webhook.id}  ${stateOf(webhook)}  ${webhook.url}`,
    ...(webhook.description === '' ? [] : [webhook.description]),
    `events: ${webhook.events.join(' ')}`,
    ...(webhook.has_secret ? [] : ['It has no secret: rotate it (portico webhooks rotate).']),
  ]);
  return true;
};

/** Prints only the secret on standard output, so that a script can read it. */
const showSecret = (terminal: Terminal, issued: Webhook & { readonly secret: string }, summary: string): AllDone => {
  terminal.printNote(`${summary} Its secret is shown only this once:`);
  terminal.printResult(pick(issued, [...webhookFields, 'secret']), [issued.secret]);
  return true;
};
