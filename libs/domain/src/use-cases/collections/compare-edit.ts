import type { Comparison } from '../../changes/change.ts';
import { applyChangePolicy } from '../../changes/change-policy.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import type { PackedText, ReadDocument } from '../../documents/document.ts';
import { isPorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** The changes from the document with the digest `from`; null if they are unknown. */
export interface EditComparison {
  readonly from: string;
  readonly comparison: Comparison | null;
}

/**
 * Compares the current document of a collection with the new one, and rates the changes by its policy; returns null if the
 * document stays the same.
 */
export const compareEdit = async (
  { clock, collections, documents }: Pick<Ports, 'clock' | 'collections' | 'documents'>,
  deadline: Deadline | null,
  id: CollectionId,
  document: ReadDocument | undefined,
): Promise<EditComparison | null> => {
  if (!document) return null;
  const current = await collections.find(id);
  if (!current || !replacesDocument(current, document)) return null;
  const stored = await collections.findDocument(id);
  if (!stored) return null;
  const comparison = await compareIfPossible(documents, stored.packed, document.packed, deadline);
  return {
    from: stored.digest,
    comparison: comparison && applyChangePolicy(comparison, current.changePolicy, clock.now()),
  };
};

/**
 * Whether the document was converted from the text that the current one was converted from: even if the converter has
 * changed since, nothing that was sent has.
 */
export const hasSameOriginal = ({ original: current }: Collection, { original }: ReadDocument): boolean =>
  current !== null && original !== null && current.digest === original.digest;

/** Whether a document replaces the current one. */
export const replacesDocument = (current: Collection, document: ReadDocument): boolean =>
  current.documentDigest !== document.digest && !hasSameOriginal(current, document);

/**
 * The maximum size of both texts together, in bytes: reading and comparing larger ones would take longer than the request
 * may take, and the document would not be stored.
 */
export const comparedBytesMax = 25_165_824;

/**
 * Returns null if the documents are too large for the limits of the reader: a document that can be read can also be stored,
 * and its revision says that the changes are unknown. Any other error is one of the request.
 */
const compareIfPossible = async (
  documents: Ports['documents'],
  before: PackedText,
  after: PackedText,
  deadline: Deadline | null,
): Promise<Comparison | null> => {
  if (before.bytes + after.bytes > comparedBytesMax) return null;
  try {
    return await documents.compare(before, after, deadline);
  } catch (error) {
    if (isPorticoError(error, 'invalid_body')) return null;
    throw error;
  }
};
