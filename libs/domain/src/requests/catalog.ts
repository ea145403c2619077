import type { CollectionId } from '../ids.ts';

/** The caller's access to a collection in the catalog. */
export type CatalogAccess = 'granted' | 'requested' | 'none';

/** Everything that the catalog shows about a collection. */
export interface CatalogEntry {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  readonly access: CatalogAccess;
}
