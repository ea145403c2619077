import type { CollectionId } from '../ids.ts';
import { isPlainLine } from '../line.ts';
import { type Collection, toNameKey } from './collection.ts';

export type NamesakeCollection = Pick<Collection, 'id' | 'name' | 'baseUrl'>;

/** The maximum length of a distinction, in UTF-16 units. */
const distinctionMax = 80;
const idPrefixMin = 8;

/**
 * Returns a short text for each collection whose name another of them has, ignoring case, so that a person or a model
 * can distinguish them: the host of its base URL, the host with the path, or the beginning of its id, whichever comes
 * first and is not shared.
 */
export const distinguishNamesakes = (collections: readonly NamesakeCollection[]): ReadonlyMap<CollectionId, string> => {
  const distinctions = new Map<CollectionId, string>();
  for (const namesakes of Map.groupBy(collections, ({ name }) => toNameKey(name)).values()) {
    if (namesakes.length === 1) continue;
    for (const textOf of [hostOf, addressOf, createIdPrefixOf(namesakes)]) {
      for (const [text, group] of Map.groupBy(namesakes, textOf)) {
        const [namesake] = group;
        if (!namesake || group.length > 1 || text === '' || distinctions.has(namesake.id)) continue;
        distinctions.set(namesake.id, text);
      }
    }
  }
  return distinctions;
};

/** Returns the host and port of the base URL; `''` for a relative URL. */
const hostOf = (collection: NamesakeCollection): string => addressOf(collection).replace(/\/.*$/, '');

/** Returns the base URL without scheme, user, query and fragment; `''` for a relative or a long URL. */
const addressOf = ({ baseUrl }: NamesakeCollection): string => {
  const [, host = '', path = ''] = /^(?:[a-z][a-z\d+.-]*:)?\/\/(?:[^/?#]*@)?([^/?#]+)([^?#]*)/i.exec(baseUrl) ?? [];
  const address = host.toLowerCase() + path.replace(/\/+$/, '');
  return address.length <= distinctionMax && isPlainLine(address) ? address : '';
};

/** Returns a function that returns the beginning of an id, as long as necessary to distinguish all of them. */
const createIdPrefixOf = (namesakes: readonly NamesakeCollection[]) => {
  let length = idPrefixMin;
  while (new Set(namesakes.map(({ id }) => id.slice(0, length))).size < namesakes.length) length += 1;
  return ({ id }: NamesakeCollection): string => `id ${id.slice(0, length)}`;
};
