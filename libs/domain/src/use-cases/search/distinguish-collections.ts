import { type Principal, visibilityOf } from '../../access/principal.ts';
import { distinguishNamesakes } from '../../collections/namesakes.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Returns a short text for each collection with one of these names that shares its name, ignoring case, with another
 * one, so that callers can distinguish them (`distinguishNamesakes`). Only collections that the caller may see count.
 */
export const distinguishCollections =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async (principal: Principal, names: readonly string[]): Promise<ReadonlyMap<CollectionId, string>> =>
    distinguishNamesakes(await collections.listNamesakes(visibilityOf(principal), names));
