import type { AdminAuthority } from '../../access/principal.ts';
import { isPorticoError } from '../../errors.ts';
import type { CollectionId, JobId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { ofCollection, recorded } from '../audit/system-entry.ts';
import { resealedAuthentication } from '../collections/authentication.ts';
import { resealedMail } from '../mails/mail-jobs.ts';

/** The result of a resealing. */
export interface Resealing {
  /** Credentials of collections that were resealed. */
  readonly credentials: number;
  /** Waiting mails that were resealed. */
  readonly mails: number;
  /** What no configured key opens, with the reason; stays as it is. */
  readonly unreadable: readonly {
    readonly kind: 'credential' | 'mail';
    readonly id: string;
    readonly because: string;
  }[];
}

type Needs = Pick<Ports, 'cipher' | 'collections' | 'outbox' | 'clock' | 'random'>;

type Outcome = 'resealed' | 'left' | { readonly because: string };

/**
 * Reseals with the current secrets key everything that an earlier one sealed: credentials of collections and waiting
 * mails. After that the earlier key is no longer needed. Safe beside a running service, and to repeat after an
 * interruption: each secret is changed in its own transaction with an audit entry, and no collection's `updatedAt` or
 * revision changes.
 */
export const resealSecrets =
  (ports: Needs) =>
  async (
    authority: AdminAuthority,
    onProgress: (done: number, total: number) => void = () => {},
  ): Promise<Resealing> => {
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
    const resealed = (wanted: 'credential' | 'mail') =>
      outcomes.filter(({ kind, outcome }) => kind === wanted && outcome === 'resealed').length;
    const unreadable = outcomes.flatMap(({ kind, id, outcome }) =>
      typeof outcome === 'string' ? [] : [{ kind, id, because: outcome.because }],
    );
    return { credentials: resealed('credential'), mails: resealed('mail'), unreadable };
  };

/** Most collections have no credential, or a current one: those are only read. */
const resealCredential = async (ports: Needs, authority: AdminAuthority, id: CollectionId): Promise<Outcome> => {
  const { cipher, collections } = ports;
  const found = await collections.find(id);
  const tried = tryToSeal(() => found && resealedAuthentication(cipher, found));
  if (typeof tried === 'string') return { because: tried };
  if (!tried.anew) return 'left';
  let changed = false;
  try {
    await collections.update(id, (collection) => {
      const storedAuthentication = resealedAuthentication(cipher, collection);
      changed = storedAuthentication !== null;
      return (
        storedAuthentication && {
          collection: { ...collection, storedAuthentication },
          ...recorded(ports, authority, { action: 'secrets.reseal', ...ofCollection(collection) }),
        }
      );
    });
  } catch (error) {
    // Removed meanwhile.
    if (!isPorticoError(error, 'collection_not_found')) throw error;
  }
  return changed ? 'resealed' : 'left';
};

const resealMail = async (ports: Needs, authority: AdminAuthority, id: JobId, before: string): Promise<Outcome> => {
  const tried = tryToSeal(() => resealedMail(ports.cipher, id, before));
  if (typeof tried === 'string') return { because: tried };
  if (tried.anew === null) return 'left';
  const effects = recorded(ports, authority, { action: 'secrets.reseal', job_id: id });
  // A job that was done or given up meanwhile has nothing sealed any more.
  const isResealed = await ports.outbox.reseal(id, before, tried.anew, effects);
  return isResealed ? 'resealed' : 'left';
};

/** Returns the resealed text, or why the old one does not open; the cipher's messages never contain the content. */
const tryToSeal = <T>(seal: () => T): { readonly anew: T } | string => {
  try {
    return { anew: seal() };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
