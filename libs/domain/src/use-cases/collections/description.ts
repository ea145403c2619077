import type { Collection } from '../../collections/collection.ts';
import type { ReadDocument } from '../../documents/document.ts';

type DescriptionFields = Pick<Collection, 'description' | 'descriptionDerived'>;
type DocumentDescription = Pick<ReadDocument, 'description' | 'derivedDescription'>;

/** Returns a document's own description, or else one derived from its text. */
export const descriptionFrom = ({ description, derivedDescription }: DocumentDescription): DescriptionFields =>
  description
    ? { description, descriptionDerived: false }
    : { description: derivedDescription, descriptionDerived: true };

/**
 * Returns the description after an edit. A written description is kept, even an empty one; undefined means that none
 * was written. A derived description is updated with the document; if it is sent back unchanged, for example by a
 * client that returns everything it has read, it remains derived.
 */
export const updateDescription = (
  { description, descriptionDerived }: DescriptionFields,
  editedDescription: string | undefined,
  document: DocumentDescription | undefined,
): DescriptionFields => {
  const current = { description, descriptionDerived };
  if (editedDescription !== undefined && editedDescription !== description)
    return { description: editedDescription, descriptionDerived: false };
  return document && descriptionDerived ? descriptionFrom(document) : current;
};
