import type { Actor } from '../profiles/profile.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { toShortLine } from '../line.ts';
import type { Change, ChangeCounts, Comparison } from './change.ts';

/** A document that a collection has or had (extensions, section 8). */
export interface Revision {
  /** Counts up from 1 in each collection. A number is not reused when its revision is removed. */
  readonly number: number;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly createdAt: Instant;
  /** Null for the operator's command line, and if the revision is older than its record. */
  readonly actorId: ProfileId | null;
  /** The actor's email address or the name of the service account at that time; null if there is no `actorId`. */
  readonly actorName: string | null;
  /** The import key, if the document was imported with one. */
  readonly origin: string | null;
  /** Counts of the changes since the previous revision; null for the first one, and if they are unknown. */
  readonly counts: ChangeCounts | null;
  /** The texts of the first breaking changes, at most `breakingTextsMax`. */
  readonly breakingTexts: readonly string[];
}

/** The parts of a revision that the store does not know, with its list of changes. */
export interface NewRevision extends Pick<Revision, 'actorId' | 'actorName' | 'origin' | 'counts' | 'breakingTexts'> {
  readonly changes: readonly Change[];
}

/** A revision in a list of all collections. */
export interface RecentRevision extends Revision, RevisionReference {
  readonly collectionName: string;
}

export interface RevisionReference {
  readonly collectionId: CollectionId;
  readonly number: number;
}

export const breakingTextsMax = 5;

/** The maximum length of a text in `breakingTexts`, in UTF-16 units. */
const breakingTextLengthMax = 300;

/** The maximum length of the stored changes of a revision as JSON, in UTF-16 units. */
export const storedChangesLengthMax = 500_000;

/** Returns a revision by this actor; `comparison` is null if the changes are unknown, or if it is the first. */
export const createRevision = (
  actor: Actor | null,
  origin: string | null,
  comparison: Comparison | null,
): NewRevision => ({
  actorId: actor?.id ?? null,
  actorName: actor?.email ?? null,
  origin,
  counts: comparison?.counts ?? null,
  breakingTexts: (comparison?.changes ?? [])
    .filter(({ level }) => level === 'breaking')
    .slice(0, breakingTextsMax)
    .map(describeBriefly),
  changes: selectStored(comparison?.changes ?? []),
});

/** Returns the operation and the text of a change in one line. */
const describeBriefly = ({ operation, text }: Change): string =>
  toShortLine(operation ? `${operation.method} ${operation.path}: ${text}` : text, breakingTextLengthMax);

/** Returns the first changes that fit into the stored list. */
const selectStored = (changes: readonly Change[]): readonly Change[] => {
  let length = 0;
  const firstOmitted = changes.findIndex(
    (change) => (length += JSON.stringify(change).length) > storedChangesLengthMax,
  );
  return firstOmitted < 0 ? changes : changes.slice(0, firstOmitted);
};
