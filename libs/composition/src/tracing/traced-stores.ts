import type { Job, StorePorts } from '@portico/domain';

/** Receives the calls to the stores. */
export interface StoreTrace {
  /** Runs a call to a store, such as `collections.update`, which is a statement or a transaction. */
  call<Outcome>(operation: string, work: () => Promise<Outcome>): Promise<Outcome>;
  /** Records the kind of the current job. */
  recordJobKind(kind: string): void;
}

/** Wraps every method of every store. */
export const createTracedStores = (stores: StorePorts, trace: StoreTrace): StorePorts => {
  const entries = Object.entries(stores).map(([name, store]) => [
    name,
    createTracedStore(name, store as object, trace),
  ]);
  const { outbox } = stores;
  const claim: StorePorts['outbox']['claim'] = async (...args) => {
    const job: Job | null = await trace.call('outbox.claim', () => outbox.claim(...args));
    if (job) trace.recordJobKind(job.task.kind);
    return job;
  };
  const tracedPorts = Object.fromEntries(entries) as unknown as StorePorts;
  return {
    ...tracedPorts,
    outbox: new Proxy(tracedPorts.outbox, {
      get: (target, key) => (key === 'claim' ? claim : (Reflect.get(target, key) as unknown)),
    }),
  };
};

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The first returns a stream, which ends when its reader ends; the second does not use the database. */
const untracedMethods: readonly string[] = ['audit.export', 'outbox.onWritten'];

const createTracedStore = (name: string, store: object, trace: StoreTrace): object => {
  const methods = new Map<string | symbol, Method>();
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      const operation = `${name}.${String(key)}`;
      if (typeof member !== 'function') return member;
      // A method may use private members of its own object.
      const method = (member as Method).bind(target);
      if (untracedMethods.includes(operation)) return method;
      const tracedMethod =
        methods.get(key) ?? ((...args: readonly unknown[]) => trace.call(operation, () => method(...args)));
      methods.set(key, tracedMethod);
      return tracedMethod;
    },
  });
};
