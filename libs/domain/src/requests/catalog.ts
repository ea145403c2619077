import type { CollectionId } from '../ids.ts';

/** What a caller has of a collection in the catalog. */
export type CatalogAccess = 'granted' | 'requested' | 'none';

/** All that the catalog shows of a collection. */
export interface CatalogLine {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  readonly access: CatalogAccess;
}
