import type { Ports } from '@portico/domain';

/** The stores of one database. A contract's case gets them fresh and empty. */
export type Stores = Pick<
  Ports,
  'callers' | 'profiles' | 'collections' | 'grants' | 'audit' | 'limits' | 'embeddings' | 'outbox' | 'sealed'
>;
