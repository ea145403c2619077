import type { CollectionHead, Principal, UseCases } from '@portico/domain';
import { wordsParameter } from '../requests/fields.ts';
import type { Extras } from './collection-responses.ts';

const collectionExtras = ['usage', 'discoverable', 'lifecycle', 'tags'] as const;

/** A parameter that adds fields that are not in the specification. */
export const includedExtras = wordsParameter(collectionExtras)
  .optional()
  .meta({
    description:
      '`usage` adds `last_used_at`. `discoverable` adds whether the catalog shows the collection to clients without a grant. ' +
      '`lifecycle` adds whether it is deprecated or retired, and `tags` its tags.',
  });

export const scopedExtras = [{ parameter: 'include', word: 'usage', scope: 'usage:read' }] as const;

/** Reads the additional fields of these collections that the caller requests. */
export const readExtras = async (
  useCases: UseCases,
  principal: Principal,
  include: readonly (typeof collectionExtras)[number][],
  collections: readonly Pick<CollectionHead, 'id'>[],
): Promise<Extras> => ({
  uses: include.includes('usage') ? await useCases.readCollectionUses(principal, collections) : null,
  discoverable: include.includes('discoverable') ? await useCases.readDiscoverable(collections) : null,
  lifecycle: include.includes('lifecycle'),
  tags: include.includes('tags'),
});
