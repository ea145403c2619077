import {
  emailMax,
  parseId,
  type CollectionReference,
  type GroupReference,
  type ProfileReference,
  type Reference,
} from '@portico/domain';
import { text } from './fields.ts';

/** The length of the longest possible name, in characters. */
const referenceMax = 500;

const referenceOf = <Id extends string>(value: string): Reference<Id> => {
  const id = parseId(value) as Id | null;
  return id ? { by: 'id', id } : { by: 'name', name: value };
};

/** A reference to a profile by id or email address. */
export const profileReference = text({ max: emailMax })
  .meta({ description: 'The id or email address of the profile.', examples: ['alice@example.com'] })
  .transform((value): ProfileReference => referenceOf(value));

/** A reference to a group by id or exact name. */
export const groupReference = text({ max: referenceMax })
  .meta({ description: 'The id or exact name of the group.', examples: ['Engineering'] })
  .transform((value): GroupReference => referenceOf(value.normalize('NFC')));

/** A reference to a collection by id or exact name. */
export const collectionReference = text({ max: referenceMax })
  .meta({ description: 'The id or exact name of the collection.', examples: ['Weather'] })
  .transform((value): CollectionReference => referenceOf(value.normalize('NFC')));
