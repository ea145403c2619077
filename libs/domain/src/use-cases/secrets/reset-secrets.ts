import type { AdminAuthority } from '../../access/principal.ts';
import type { CallId, CollectionId, CredentialId, JobId, ProfileId, WebhookId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { SealedSecrets } from '../../ports/sealed-store.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import { openContent } from '../calls/call-content.ts';
import { openAuthentication } from '../collections/authentication.ts';
import { openCredential } from '../collections/credential-content.ts';
import { openCredentials } from '../mails/mail-jobs.ts';
import { openWebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** The secrets that no configured key opens, and the data lost with them. */
export interface LostSecrets {
  /** Collections whose `authentication` loses its credential, in the order of lists. */
  readonly collections: readonly { readonly id: CollectionId; readonly name: string }[];
  /** Lost credentials for security schemes, in the order of lists. */
  readonly credentials: readonly {
    readonly id: CollectionId;
    readonly name: string;
    readonly scheme: string;
    readonly credentialId: CredentialId;
  }[];
  /** Waiting emails that can no longer be sent. */
  readonly mails: readonly { readonly id: JobId; readonly profileId: ProfileId }[];
  /** Calls that can no longer be made, because their arguments are lost. */
  readonly calls: readonly CallId[];
  /** Webhooks that lose their secrets. */
  readonly webhooks: readonly WebhookId[];
  /** Null if the pepper can be opened, so that every API key remains valid; otherwise the number of lost keys. */
  readonly apiKeys: number | null;
  /** The number of service accounts that lose their token with the pepper. */
  readonly accountKeys: number;
}

type RequiredPorts = Pick<Ports, 'cipher' | 'sealed' | 'clock' | 'random'>;

/** The context that the pepper of API keys is sealed for. */
export const pepperContext = 'api-key-pepper';

/** Whether a reset would remove anything. */
export const isAnythingLost = ({ collections, credentials, mails, calls, webhooks, apiKeys }: LostSecrets): boolean =>
  [collections, credentials, mails, calls, webhooks].some(({ length }) => length > 0) || apiKeys !== null;

/** Returns the secrets that a reset would remove. */
export const findLostSecrets =
  ({ cipher, sealed }: Pick<RequiredPorts, 'cipher' | 'sealed'>) =>
  async (): Promise<LostSecrets> =>
    findLostIn(cipher, await sealed.read());

/**
 * Removes the secrets that no configured key opens, so that the service can continue without them: credentials of
 * collections, waiting emails, the arguments of calls that need a decision, the secrets of webhooks, and, if the pepper is affected, every API key and every service account token. Secrets
 * that any configured key opens are kept. If nothing is lost, nothing is written. `pepper` is the new pepper in plain
 * text, as the installation stores it. Returns the removed secrets.
 */
export const resetSecrets =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, pepper: string): Promise<LostSecrets> => {
    const { cipher, clock } = ports;
    let lostSecrets: LostSecrets = noLostSecrets;
    await ports.sealed.reset((sealed) => {
      lostSecrets = findLostIn(cipher, sealed);
      if (!isAnythingLost(lostSecrets)) return null;
      const { collections, credentials, mails, calls, webhooks, apiKeys, accountKeys } = lostSecrets;
      const keys = { api_keys: apiKeys ?? 0, service_accounts: accountKeys };
      const counts = {
        credentials: collections.length + credentials.length,
        mails: mails.length,
        calls: calls.length,
        webhooks: webhooks.length,
        ...keys,
      };
      return {
        collections: collections.map(({ id }) => id),
        credentials: credentials.map(({ id, credentialId }) => ({ collectionId: id, id: credentialId })),
        mails: mails.map(({ id }) => id),
        calls,
        webhooks,
        pepper: apiKeys === null ? null : cipher.seal(pepper, pepperContext),
        resetAt: clock.now(),
        reason: 'The secrets key that sealed it is lost',
        ...createAuditEffects(ports, authority, { action: 'secrets.reset', ...counts }),
      };
    });
    return lostSecrets;
  };

const noLostSecrets: LostSecrets = {
  collections: [],
  credentials: [],
  mails: [],
  calls: [],
  webhooks: [],
  apiKeys: null,
  accountKeys: 0,
};

const findLostIn = (cipher: Ports['cipher'], sealed: SealedSecrets): LostSecrets => {
  const { collections, credentials, mails, calls, webhooks, pepper } = sealed;
  const isPepperLost = pepper !== null && !canOpen(() => cipher.open(pepper, pepperContext));
  return {
    collections: collections
      .filter((collection) => !canOpen(() => openAuthentication(cipher, collection)))
      .map(({ id, name }) => ({ id, name })),
    credentials: credentials
      .filter(({ collection: { id: collectionId }, scheme, subject, sealed: text }) => {
        return !canOpen(() => openCredential(cipher, { collectionId, scheme, subject }, text));
      })
      .map(({ id: credentialId, collection: { id, name }, scheme }) => ({ id, name, scheme, credentialId })),
    mails: mails
      .filter(({ id, sealed: mail }) => !canOpen(() => openCredentials(cipher, id, mail)))
      .map(({ id, profileId }) => ({ id, profileId })),
    calls: calls
      .filter(({ id, sealed: content }) => !canOpen(() => openContent(cipher, id, content)))
      .map(({ id }) => id),
    webhooks: webhooks
      .filter(({ id, sealed: secrets }) => !canOpen(() => openWebhookSecrets(cipher, id, secrets)))
      .map(({ id }) => id),
    apiKeys: isPepperLost ? sealed.apiKeys : null,
    accountKeys: isPepperLost ? sealed.accountKeys : 0,
  };
};

const canOpen = (open: () => unknown): boolean => {
  try {
    open();
    return true;
  } catch {
    return false;
  }
};
