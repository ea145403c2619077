import type { Job, StorePorts } from '@portico/domain';

/** What is told about the calls of stores. */
export interface StoreTrace {
  /** Runs a call of a store, such as `collections.update`: a statement, or a transaction. */
  call<Outcome>(operation: string, work: () => Promise<Outcome>): Promise<Outcome>;
  /** The job that runs is of this kind. */
  jobClaimed(kind: string): void;
}

/** Wraps every method of every store. */
export const tracedStores = (stores: StorePorts, told: StoreTrace): StorePorts => {
  const traced = Object.entries(stores).map(([name, store]) => [name, tracedStore(name, store as object, told)]);
  const { outbox } = stores;
  const claim: StorePorts['outbox']['claim'] = async (...claimed) => {
    const job: Job | null = await told.call('outbox.claim', () => outbox.claim(...claimed));
    if (job) told.jobClaimed(job.task.kind);
    return job;
  };
  const all = Object.fromEntries(traced) as unknown as StorePorts;
  return {
    ...all,
    outbox: new Proxy(all.outbox, {
      get: (target, key) => (key === 'claim' ? claim : (Reflect.get(target, key) as unknown)),
    }),
  };
};

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** One returns a stream, which ends when its reader does; the other asks nothing of the database. */
const untraced: readonly string[] = ['audit.export', 'outbox.whenWritten'];

const tracedStore = (name: string, store: object, told: StoreTrace): object => {
  const methods = new Map<string | symbol, Method>();
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      const operation = `${name}.${String(key)}`;
      if (typeof member !== 'function') return member;
      // A method may use private members of its own object.
      const method = (member as Method).bind(target);
      if (untraced.includes(operation)) return method;
      const known = methods.get(key) ?? ((...args: readonly unknown[]) => told.call(operation, () => method(...args)));
      methods.set(key, known);
      return known;
    },
  });
};
