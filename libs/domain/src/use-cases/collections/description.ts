import type { Collection } from '../../collections/collection.ts';
import type { ReadDocument } from '../../documents/document.ts';

type Described = Pick<Collection, 'description' | 'descriptionDerived'>;
type Document = Pick<ReadDocument, 'description' | 'derivedDescription'>;

/** Returns a document's own description, or else one derived from its text. */
export const descriptionFrom = ({ description, derivedDescription }: Document): Described =>
  description
    ? { description, descriptionDerived: false }
    : { description: derivedDescription, descriptionDerived: true };

/**
 * Returns the description after an edit. A written description is kept, even an empty one; undefined means that none
 * was written. A derived description is updated with the document; if it is sent back unchanged, for example by a
 * client that returns everything it has read, it remains derived.
 */
export const nextDescription = (
  { description, descriptionDerived }: Described,
  written: string | undefined,
  document: Document | undefined,
): Described => {
  const current = { description, descriptionDerived };
  if (written !== undefined && written !== description) return { description: written, descriptionDerived: false };
  return document && descriptionDerived ? descriptionFrom(document) : current;
};
