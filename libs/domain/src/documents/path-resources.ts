import { takeFirstCharacters } from '../characters.ts';
import { phraseOf } from './plain-words.ts';

const pathMax = 500;

/** Words in a path that are not resources. */
const nonResources = new Set(
  'api apis rest public internal external private json xml index html php aspx do me all by of id ids v'.split(' '),
);

/**
 * Returns the resources of a path as words: `/v1/customers/{id}/payment_methods.json` has `customers` and `payment
 * methods`. Parameters, versions and file extensions are not resources.
 */
export const resourcesOf = (path: string): readonly string[] =>
  takeFirstCharacters(path, pathMax)
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((segment) => !/[{}:$()=]/.test(segment) && !/^v?\d+(?:[._]\d+)*(?:[a-z]+\d*)?$/i.test(segment))
    .map((segment) => phraseOf(segment.replace(/\.[a-z]{2,4}$/i, '')))
    .filter((words) => words.length > 1 && !nonResources.has(words));
