import type { WebhookId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { previousSecretMs, type Webhook } from '../../webhooks/webhook.ts';

/** The sealed part of a webhook: its secret, and the one before the last rotation. Both start with `whsec_`. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous: string | null;
}

/** The length of a new secret, in bytes; Standard Webhooks recommends 24 to 64. */
const webhookSecretBytes = 32;

const prefix = 'whsec_';

type SecretPorts = Pick<Ports, 'cipher' | 'random' | 'signer'>;

export const makeWebhookSecret = ({ random, signer }: Pick<SecretPorts, 'random' | 'signer'>): string =>
  `${prefix}${signer.encodeKey(random.bytes(webhookSecretBytes))}`;

export const sealWebhookSecrets = (cipher: Ports['cipher'], id: WebhookId, secrets: WebhookSecrets): string =>
  cipher.seal(JSON.stringify(secrets), sealingContextOf(id));

/** Opens the secrets; throws if they were sealed for a different webhook, or with a key that is not configured. */
export const openWebhookSecrets = (cipher: Ports['cipher'], id: WebhookId, sealed: string): WebhookSecrets =>
  JSON.parse(cipher.open(sealed, sealingContextOf(id))) as WebhookSecrets;

/** Returns the secrets, resealed with the current key; null if they are already sealed with that key. */
export const resealWebhookSecrets = (cipher: Ports['cipher'], id: WebhookId, sealed: string): string | null => {
  if (cipher.isCurrent(sealed)) return null;
  const context = sealingContextOf(id);
  return cipher.seal(cipher.open(sealed, context), context);
};

/** Returns the fields of a webhook with a new secret; the current one signs along for a day. */
export const rotateWebhookSecret = (
  cipher: Ports['cipher'],
  { id, sealed }: Webhook,
  current: string,
  now: Instant,
): Pick<Webhook, 'sealed' | 'previousUntil'> => {
  const previous = sealed === null ? null : openWebhookSecrets(cipher, id, sealed).current;
  return {
    sealed: sealWebhookSecrets(cipher, id, { current, previous }),
    previousUntil: previous === null ? null : now + previousSecretMs,
  };
};

/** Returns the keys that sign at this time, newest first, in base64. */
export const signingKeysOf = (
  cipher: Ports['cipher'],
  { id, previousUntil }: Webhook,
  sealed: string,
  now: Instant,
): readonly string[] => {
  const { current, previous } = openWebhookSecrets(cipher, id, sealed);
  const signsAlong = previous !== null && previousUntil !== null && now < previousUntil;
  return [current, ...(signsAlong ? [previous] : [])].map((secret) => secret.slice(prefix.length));
};

const sealingContextOf = (id: WebhookId): string => `webhook:${id}`;
