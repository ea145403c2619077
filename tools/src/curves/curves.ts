import { audit } from './audit.ts';
import type { Curve } from './curve.ts';
import { documents } from './documents.ts';
import { lists } from './lists.ts';
import { idle, memory } from './memory.ts';
import { operations } from './operations.ts';
import { replicas } from './replicas.ts';
import { search } from './search.ts';
import { searchOverHttp } from './search-over-http.ts';

/** In the order of the report. */
export const curves: readonly Curve[] = [
  search,
  searchOverHttp,
  operations,
  audit,
  lists,
  documents,
  replicas,
  memory,
  idle,
];
