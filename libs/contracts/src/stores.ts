import type { StorePorts } from '@portico/domain';

/** The stores of one database. A contract's case gets them fresh and empty. */
export type Stores = StorePorts;
