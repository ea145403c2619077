import type { StorePorts } from '@portico/domain';

/** The stores of one database. Each contract case gets fresh, empty stores. */
export type Stores = StorePorts;
