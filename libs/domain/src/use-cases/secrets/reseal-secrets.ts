import type { AdminAuthority } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { UsableCredential } from '../../collections/credential.ts';
import { isPorticoError } from '../../errors.ts';
import type { CallId, CollectionId, JobId, WebhookId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { resealContent } from '../calls/call-content.ts';
import { resealAuthentication } from '../collections/authentication.ts';
import { resealCredential } from '../collections/credential-content.ts';
import { subjectFieldsOf } from '../collections/subject-credentials.ts';
import { resealSealedMail } from '../mails/mail-jobs.ts';
import { webhookFieldsOf } from '../webhooks/webhook-fields.ts';
import { resealWebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** The result of resealing. */
export interface ResealResult {
  /** The number of resealed collection credentials. */
  readonly credentials: number;
  /** The number of resealed waiting emails. */
  readonly mails: number;
  /** The number of calls whose arguments were resealed. */
  readonly calls: number;
  /** The number of webhooks whose secrets were resealed. */
  readonly webhooks: number;
  /** Secrets that no configured key opens, with the reason; they are left unchanged. */
  readonly unreadable: readonly {
    readonly kind: SecretKind;
    readonly id: string;
    readonly because: string;
  }[];
}

export type SecretKind = 'credential' | 'mail' | 'call' | 'webhook';

type RequiredPorts = Pick<
  Ports,
  'cipher' | 'collections' | 'credentials' | 'outbox' | 'calls' | 'webhooks' | 'clock' | 'random'
>;

type Outcome = 'resealed' | 'unchanged' | { readonly because: string };

/**
 * Reseals everything that was sealed with an earlier secrets key (the credentials of collections, waiting
 * emails, the arguments of calls, and the secrets of webhooks) with the current key. After that, the earlier key is no longer needed. Safe to run alongside a running service, and
 * to repeat after an interruption: each secret is changed in its own transaction with an audit entry, and no
 * collection's `updatedAt` or revision changes.
 */
export const resealSecrets =
  (ports: RequiredPorts) =>
  async (
    authority: AdminAuthority,
    onProgress: (done: number, total: number) => void = () => {},
  ): Promise<ResealResult> => {
    const ids = await ports.collections.listVisibleIds({ scope: 'all' });
    const mails = await ports.outbox.listSealed();
    const calls = await ports.calls.listSealed();
    const webhooks = await ports.webhooks.list();
    const tasks = [
      ...ids.map((id) => ({ kind: 'credential' as const, id, run: () => resealCollection(ports, authority, id) })),
      ...mails.map(({ id, sealed }) => ({
        kind: 'mail' as const,
        id,
        run: async () => [await resealMail(ports, authority, id, sealed)],
      })),
      ...calls.map(({ id, sealed }) => ({
        kind: 'call' as const,
        id,
        run: async () => [await resealCall(ports, authority, id, sealed)],
      })),
      ...webhooks.map(({ id, sealed }) => ({
        kind: 'webhook' as const,
        id,
        run: async () => [await resealWebhook(ports, authority, id, sealed)],
      })),
    ];
    const outcomes: { kind: SecretKind; id: string; outcome: Outcome }[] = [];
    for (const [index, { kind, id, run }] of tasks.entries()) {
      for (const outcome of await run()) outcomes.push({ kind, id, outcome });
      onProgress(index + 1, tasks.length);
    }
    const countResealed = (type: SecretKind) =>
      outcomes.filter(({ kind, outcome }) => kind === type && outcome === 'resealed').length;
    const unreadable = outcomes.flatMap(({ kind, id, outcome }) =>
      typeof outcome === 'string' ? [] : [{ kind, id, because: outcome.because }],
    );
    return {
      credentials: countResealed('credential'),
      mails: countResealed('mail'),
      calls: countResealed('call'),
      webhooks: countResealed('webhook'),
      unreadable,
    };
  };

/** Reseals a collection's credentials. Most collections have none, or current ones: those are only read. */
const resealCollection = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  id: CollectionId,
): Promise<readonly Outcome[]> => {
  const outcomes = [await resealStoredAuthentication(ports, authority, id)];
  const forEveryone = await ports.credentials.list(id);
  const subjects = await ports.credentials.listSubjects(id);
  if (forEveryone.length + subjects.length === 0) return outcomes;
  const collection = await ports.collections.find(id);
  if (!collection) return outcomes;
  for (const credential of [...forEveryone.map((row) => ({ ...row, subject: null })), ...subjects])
    outcomes.push(await resealStored(ports, authority, collection, credential));
  return outcomes;
};

const resealStoredAuthentication = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  id: CollectionId,
): Promise<Outcome> => {
  const { cipher, collections } = ports;
  const storedCollection = await collections.find(id);
  const attempt = trySeal(() => storedCollection && resealAuthentication(cipher, storedCollection));
  if (typeof attempt === 'string') return { because: attempt };
  if (!attempt.sealed) return 'unchanged';
  let hasChanged = false;
  await ignoreRemoved(
    collections.update(id, (collection) => {
      const storedAuthentication = resealAuthentication(cipher, collection);
      hasChanged = storedAuthentication !== null;
      return (
        storedAuthentication && {
          collection: { ...collection, storedAuthentication },
          ...createAuditEffects(ports, authority, { action: 'secrets.reseal', ...collectionFieldsOf(collection) }),
        }
      );
    }),
  );
  return hasChanged ? 'resealed' : 'unchanged';
};

const resealStored = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  collection: Collection,
  { id, scheme, subject, sealed }: UsableCredential,
): Promise<Outcome> => {
  const place = { collectionId: collection.id, scheme, subject };
  const attempt = trySeal(() => resealCredential(ports.cipher, place, sealed));
  if (typeof attempt === 'string') return { because: `${scheme}: ${attempt}` };
  if (attempt.sealed === null) return 'unchanged';
  const effects = createAuditEffects(ports, authority, {
    action: 'secrets.reseal',
    ...collectionFieldsOf(collection),
    ...(subject ? subjectFieldsOf(subject) : {}),
    scheme,
  });
  // A credential that was replaced or removed in the meantime no longer has this sealed text.
  return (await ports.credentials.reseal(id, sealed, attempt.sealed, effects)) ? 'resealed' : 'unchanged';
};

/** Awaits a change to a collection, a call or a webhook, which may have been removed in the meantime. */
const ignoreRemoved = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change;
  } catch (error) {
    if (!removedCodes.some((code) => isPorticoError(error, code))) throw error;
  }
};

const removedCodes = ['collection_not_found', 'call_not_found', 'webhook_not_found'] as const;

const resealMail = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  id: JobId,
  sealed: string,
): Promise<Outcome> => {
  const attempt = trySeal(() => resealSealedMail(ports.cipher, id, sealed));
  if (typeof attempt === 'string') return { because: attempt };
  if (attempt.sealed === null) return 'unchanged';
  const effects = createAuditEffects(ports, authority, { action: 'secrets.reseal', job_id: id });
  // A job that was done or given up in the meantime no longer has sealed data.
  const isResealed = await ports.outbox.reseal(id, sealed, attempt.sealed, effects);
  return isResealed ? 'resealed' : 'unchanged';
};

const resealCall = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  id: CallId,
  sealed: string,
): Promise<Outcome> => {
  const attempt = trySeal(() => resealContent(ports.cipher, id, sealed));
  if (typeof attempt === 'string') return { because: attempt };
  if (attempt.sealed === null) return 'unchanged';
  let isResealed = false;
  // A call that was decided or removed in the meantime no longer has arguments.
  await ignoreRemoved(
    ports.calls.decide(id, ports.clock.now(), ({ call }) => {
      isResealed = call.sealed === sealed;
      if (!isResealed) return null;
      const effects = createAuditEffects(ports, authority, { action: 'secrets.reseal', call_id: id });
      return { call: { ...call, sealed: attempt.sealed }, ...effects };
    }),
  );
  return isResealed ? 'resealed' : 'unchanged';
};

const resealWebhook = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  id: WebhookId,
  sealed: string | null,
): Promise<Outcome> => {
  const attempt = trySeal(() => (sealed === null ? null : resealWebhookSecrets(ports.cipher, id, sealed)));
  if (typeof attempt === 'string') return { because: attempt };
  if (attempt.sealed === null) return 'unchanged';
  let isResealed = false;
  // A webhook that was rotated in the meantime no longer has these secrets.
  await ignoreRemoved(
    ports.webhooks.update(id, (webhook) => {
      isResealed = webhook.sealed === sealed;
      if (!isResealed) return null;
      const effects = createAuditEffects(ports, authority, { action: 'secrets.reseal', ...webhookFieldsOf(webhook) });
      return { webhook: { ...webhook, sealed: attempt.sealed }, ...effects };
    }),
  );
  return isResealed ? 'resealed' : 'unchanged';
};

/**
 * Returns the resealed text, or the reason why the old one cannot be opened; the cipher's messages never contain the
 * content.
 */
const trySeal = <T>(seal: () => T): { readonly sealed: T } | string => {
  try {
    return { sealed: seal() };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
