import { anEntry, noEffects, type Stores } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { createMemoryDatabase, type MemoryDatabase } from '../src/memory-database.ts';
import { createMemoryStores } from '../src/memory-stores.ts';

export type Breach = (stores: Stores) => Stores;

/** Memory stores with some methods of one port replaced by broken ones, which may use the correct ones and the state. */
export const breaking =
  <Port extends keyof Stores>(
    port: Port,
    broken: (right: Stores[Port], stores: Stores, database: MemoryDatabase) => Partial<Stores[Port]>,
  ): Breach =>
  () => {
    const database = createMemoryDatabase();
    const stores = createMemoryStores(database);
    return { ...stores, [port]: { ...stores[port], ...broken(stores[port], stores, database) } };
  };

/** The decision, with its effects removed. */
export const silently =
  <State extends readonly unknown[], Change extends Effects>(decide: (...state: State) => Change) =>
  (...state: State): Change => ({ ...decide(...state), ...noEffects });

/** The attempt, which writes an entry even if it fails. */
export const leaking = async <Answer>({ audit }: Stores, attempt: Promise<Answer>): Promise<Answer> => {
  try {
    return await attempt;
  } catch (error) {
    await audit.append(anEntry(), null);
    throw error;
  }
};

/** Long enough for every concurrent call to get here. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The attempt, with its error swallowed. */
export const hushed = async <Answer>(attempt: Promise<Answer>, instead: Answer): Promise<Answer> => {
  const [outcome] = await Promise.allSettled([attempt]);
  return outcome.status === 'fulfilled' ? outcome.value : instead;
};
