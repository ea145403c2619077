import { createCallerQueue } from '../../access/caller-queue.ts';
import { type AdminAuthority, type Principal, requireReadableTarget, visibilityOf } from '../../access/principal.ts';
import { type ChangeCounts, changesMax, type Comparison } from '../../changes/change.ts';
import { applyChangePolicy } from '../../changes/change-policy.ts';
import type { RecentRevision, Revision } from '../../changes/revision.ts';
import type { PackedText } from '../../documents/document.ts';
import { errorDetails, isPorticoError, PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { RecentPage, RevisionPage } from '../../ports/revision-store.ts';
import type { Settings } from '../../settings.ts';
import { type Precondition, updateCollection, type UpdatedCollection, type WritingPorts } from './write-collection.ts';

type RequiredPorts = Pick<Ports, 'collections' | 'revisions'>;
type ComparingPorts = RequiredPorts & Pick<Ports, 'clock' | 'documents'>;

/**
 * Returns the id of the collection that the request is about, which is also `id`. The operator has no target, and may read
 * every collection.
 */
const requireReadable = async ({ collections }: RequiredPorts, principal: Principal, id: CollectionId) => {
  if (principal.via !== 'operator') return requireReadableTarget(principal).id;
  if (!(await collections.find(id))) throw new PorticoError('collection_not_found');
  return id;
};

/** Returns a revision of the collection that the request is about. Throws `revision_not_found`. */
export const readRevision =
  (ports: RequiredPorts) =>
  async (principal: Principal, collection: CollectionId, number: number | null): Promise<Revision> => {
    const id = await requireReadable(ports, principal, collection);
    return requireRevision(number === null ? null : await ports.revisions.find(id, number));
  };

/** Returns the revisions of the collection that the request is about, newest first. */
export const listRevisions =
  (ports: RequiredPorts) =>
  async (principal: Principal, collection: CollectionId, page: RevisionPage): Promise<readonly Revision[]> =>
    ports.revisions.list(await requireReadable(ports, principal, collection), page);

export const countRevisions =
  (ports: RequiredPorts) =>
  async (principal: Principal, collection: CollectionId): Promise<number> =>
    ports.revisions.count(await requireReadable(ports, principal, collection));

/** Returns the text of a revision. Throws `revision_not_found`. */
export const readRevisionText =
  (ports: RequiredPorts) =>
  async (
    principal: Principal,
    collection: CollectionId,
    number: number,
  ): Promise<{ readonly digest: string; readonly document: PackedText }> => {
    const id = await requireReadable(ports, principal, collection);
    const { digest, packed } = requireRevision(await ports.revisions.findText(id, number), number);
    return { digest, document: packed };
  };

/** The changes between two revisions. */
export interface RevisionDifference extends Comparison {
  /** Null if the collection has had only one document. */
  readonly from: number | null;
  readonly to: number;
}

const noChanges = { changes: [], counts: { breaking: 0, warning: 0, info: 0 } } as const satisfies Comparison;

/**
 * Returns the changes from one revision to another, by default from the previous one to the newest. Uses the changes that
 * were stored with a revision if they are complete, rated by the policy of that time; otherwise, compares the documents,
 * and callers are queued (`createCallerQueue`). Throws `revision_not_found`, and `not_comparable` if the documents are too large.
 */
export const compareRevisions = (ports: ComparingPorts) => {
  const enqueue = createCallerQueue();
  return async (
    principal: Principal,
    collection: CollectionId,
    { from, to }: { readonly from: number | null; readonly to: number | null },
  ): Promise<RevisionDifference> => {
    const id = await requireReadable(ports, principal, collection);
    const [newest] = to === null ? await ports.revisions.list(id, { limit: 1, before: null }) : [];
    const last = requireRevision(to === null ? newest : await ports.revisions.find(id, to), to);
    const first = from ?? last.number - 1;
    if (from === null && last.number === 1) return { from: null, to: 1, ...noChanges };
    if (first === last.number) return { from: first, to: first, ...noChanges };
    const storedComparison = first === last.number - 1 ? await findStored(ports, id, last) : null;
    const comparison =
      storedComparison ?? (await enqueue(principal, () => compareTexts(ports, principal, id, [first, last.number])));
    return { from: first, to: last.number, ...comparison };
  };
};

/** Returns the changes that were stored with a revision; null if they are unknown or incomplete. */
const findStored = async (
  { revisions }: RequiredPorts,
  id: CollectionId,
  { number, counts }: Revision,
): Promise<Comparison | null> => {
  const changes = counts && (await revisions.findChanges(id, number));
  return changes && changes.length === Math.min(sumOf(counts), changesMax) ? { changes, counts } : null;
};

const sumOf = ({ breaking, warning, info }: ChangeCounts): number => breaking + warning + info;

const compareTexts = async (
  ports: ComparingPorts,
  principal: Principal,
  id: CollectionId,
  [from, to]: readonly [from: number, to: number],
): Promise<Comparison> => {
  const read = readRevisionText(ports);
  const [before, after] = [await read(principal, id, from), await read(principal, id, to)];
  if (before.digest === after.digest) return noChanges;
  try {
    const comparison = await ports.documents.compare(before.document, after.document, principal.deadline);
    const collection = await ports.collections.find(id);
    return collection ? applyChangePolicy(comparison, collection.changePolicy, ports.clock.now()) : comparison;
  } catch (error) {
    if (!isPorticoError(error, 'invalid_body')) throw error;
    const reason = error.message.slice(`${errorDetails.invalid_body}: `.length);
    throw new PorticoError('not_comparable', { reason, cause: error });
  }
};

/**
 * Makes a revision the current document again, as `updateCollection` with its text does. The text is the one that was
 * stored: a document that was converted remains converted. Throws `revision_not_found`, and the errors of
 * `updateCollection`.
 */
export const restoreRevision = (ports: WritingPorts & RequiredPorts, settings: Settings) => {
  const update = updateCollection(ports, settings);
  return async (
    authority: AdminAuthority,
    id: CollectionId,
    number: number | null,
    isExpected?: Precondition,
  ): Promise<UpdatedCollection> => {
    if (!(await ports.collections.find(id))) throw new PorticoError('collection_not_found');
    const { packed } = requireRevision(number === null ? null : await ports.revisions.findText(id, number));
    const document = await ports.documents.readStored(packed, authority.deadline);
    return update(authority, id, { document, strict: false, acceptsVersion32: true }, isExpected);
  };
};

/** Returns the revisions of all collections that the caller may see, newest first. */
export const listRecentRevisions =
  ({ revisions }: Pick<Ports, 'revisions'>) =>
  (principal: Principal, page: RecentPage): Promise<readonly RecentRevision[]> =>
    revisions.listRecent(visibilityOf(principal), page);

const requireRevision = <Value>(revision: Value | null | undefined, number: number | null = null): Value => {
  if (revision) return revision;
  throw new PorticoError('revision_not_found', number === null ? {} : { reason: `${number}` });
};
