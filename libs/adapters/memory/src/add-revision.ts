import type { Collection, DocumentContent } from '@portico/domain';
import { copyFrozen, type MemoryDatabase } from './memory-database.ts';

/** Adds the revision of a new document, as part of another change. */
export const addRevision = (
  { revisions }: MemoryDatabase,
  { id, documentDigest, updatedAt }: Collection,
  { packed, revision: { changes, ...fields } }: DocumentContent,
): void => {
  const list = revisions.get(id) ?? [];
  const number = (list.at(-1)?.revision.number ?? 0) + 1;
  const revision = { number, digest: documentDigest, createdAt: updatedAt, ...fields };
  revisions.set(id, [...list, copyFrozen({ revision, changes, packed })]);
};
