import { originOf } from '../../operations/origins.ts';
import type { Webhook } from '../../webhooks/webhook.ts';

/** Returns the members of an audit entry. The path and query of the URL may contain a secret of the receiver. */
export const webhookFieldsOf = ({ id, url }: Pick<Webhook, 'id' | 'url'>) => ({
  webhook_id: id,
  webhook: originOf(url),
});
