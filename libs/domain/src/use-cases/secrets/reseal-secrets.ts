import type { AdminAuthority } from '../../access/principal.ts';
import { isPorticoError } from '../../errors.ts';
import type { CollectionId, JobId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { ofCollection, auditEffects } from '../audit/system-entry.ts';
import { resealAuthentication } from '../collections/authentication.ts';
import { resealSealedMail } from '../mails/mail-jobs.ts';

/** The result of resealing. */
export interface ResealResult {
  /** The number of resealed collection credentials. */
  readonly credentials: number;
  /** The number of resealed waiting mails. */
  readonly mails: number;
  /** Secrets that no configured key opens, with the reason; they are left unchanged. */
  readonly unreadable: readonly {
    readonly kind: 'credential' | 'mail';
    readonly id: string;
    readonly because: string;
  }[];
}

type Needs = Pick<Ports, 'cipher' | 'collections' | 'outbox' | 'clock' | 'random'>;

type Outcome = 'resealed' | 'left' | { readonly because: string };

/**
 * Reseals everything that was sealed with an earlier secrets key (the credentials of collections, and waiting mails)
 * with the current key. After that, the earlier key is no longer needed. Safe to run alongside a running service, and
 * to repeat after an interruption: each secret is changed in its own transaction with an audit entry, and no
 * collection's `updatedAt` or revision changes.
 */
export const resealSecrets =
  (ports: Needs) =>
  async (
    authority: AdminAuthority,
    onProgress: (done: number, total: number) => void = () => {},
  ): Promise<ResealResult> => {
    const ids = await ports.collections.visibleIds({ of: 'all' });
    const mails = await ports.outbox.sealed();
    const work = [
      ...ids.map((id) => ({ kind: 'credential' as const, id, run: () => resealCredential(ports, authority, id) })),
      ...mails.map(({ id, sealed }) => ({
        kind: 'mail' as const,
        id,
        run: () => resealMail(ports, authority, id, sealed),
      })),
    ];
    const outcomes: { kind: 'credential' | 'mail'; id: string; outcome: Outcome }[] = [];
    for (const { kind, id, run } of work) {
      outcomes.push({ kind, id, outcome: await run() });
      onProgress(outcomes.length, work.length);
    }
    const countResealed = (type: 'credential' | 'mail') =>
      outcomes.filter(({ kind, outcome }) => kind === type && outcome === 'resealed').length;
    const unreadable = outcomes.flatMap(({ kind, id, outcome }) =>
      typeof outcome === 'string' ? [] : [{ kind, id, because: outcome.because }],
    );
    return { credentials: countResealed('credential'), mails: countResealed('mail'), unreadable };
  };

/** Reseals a collection's credential. Most collections have no credential, or a current one: those are only read. */
const resealCredential = async (ports: Needs, authority: AdminAuthority, id: CollectionId): Promise<Outcome> => {
  const { cipher, collections } = ports;
  const stored = await collections.find(id);
  const attempt = tryToSeal(() => stored && resealAuthentication(cipher, stored));
  if (typeof attempt === 'string') return { because: attempt };
  if (!attempt.sealed) return 'left';
  let changed = false;
  try {
    await collections.update(id, (collection) => {
      const storedAuthentication = resealAuthentication(cipher, collection);
      changed = storedAuthentication !== null;
      return (
        storedAuthentication && {
          collection: { ...collection, storedAuthentication },
          ...auditEffects(ports, authority, { action: 'secrets.reseal', ...ofCollection(collection) }),
        }
      );
    });
  } catch (error) {
    // Removed in the meantime.
    if (!isPorticoError(error, 'collection_not_found')) throw error;
  }
  return changed ? 'resealed' : 'left';
};

const resealMail = async (ports: Needs, authority: AdminAuthority, id: JobId, before: string): Promise<Outcome> => {
  const attempt = tryToSeal(() => resealSealedMail(ports.cipher, id, before));
  if (typeof attempt === 'string') return { because: attempt };
  if (attempt.sealed === null) return 'left';
  const effects = auditEffects(ports, authority, { action: 'secrets.reseal', job_id: id });
  // A job that was done or given up in the meantime no longer has sealed data.
  const isResealed = await ports.outbox.reseal(id, before, attempt.sealed, effects);
  return isResealed ? 'resealed' : 'left';
};

/**
 * Returns the resealed text, or the reason why the old one cannot be opened; the cipher's messages never contain the
 * content.
 */
const tryToSeal = <T>(seal: () => T): { readonly sealed: T } | string => {
  try {
    return { sealed: seal() };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
