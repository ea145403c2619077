import type { Collection } from '../../collections/collection.ts';
import type { ReadDocument } from '../../documents/document.ts';

type Described = Pick<Collection, 'description' | 'descriptionDerived'>;
type Document = Pick<ReadDocument, 'description' | 'derivedDescription'>;

/** What a document says about itself: its own description, else one made of its words. */
export const describedBy = ({ description, derivedDescription }: Document): Described =>
  description
    ? { description, descriptionDerived: false }
    : { description: derivedDescription, descriptionDerived: true };

/**
 * The description after an edit. What was written stays, an empty one too; undefined means that nothing was written.
 * A derived one follows the document; written again word for word, as a client does that sends back what it read, it
 * stays derived.
 */
export const nextDescription = (
  { description, descriptionDerived }: Described,
  written: string | undefined,
  document: Document | undefined,
): Described => {
  const current = { description, descriptionDerived };
  if (written !== undefined && written !== description) return { description: written, descriptionDerived: false };
  return document && descriptionDerived ? describedBy(document) : current;
};
