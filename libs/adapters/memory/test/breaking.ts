import { anEntry, noEffects, type Stores } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { createMemoryDatabase, type MemoryDatabase } from '../src/memory-database.ts';
import { createMemoryStores } from '../src/memory-stores.ts';

export type Breach = (stores: Stores, database?: MemoryDatabase) => Stores;

/** Replaces some of a port's methods with broken ones, which can use the original methods and the state. */
export const breakPort =
  <Port extends keyof Stores>(
    port: Port,
    breakMethods: (original: Stores[Port], stores: Stores, database: MemoryDatabase) => Partial<Stores[Port]>,
  ): Breach =>
  (_stores, database = createMemoryDatabase()) => {
    const stores = createMemoryStores(database);
    return { ...stores, [port]: { ...stores[port], ...breakMethods(stores[port], stores, database) } };
  };

type ArgumentsOf<Method> = Method extends (...args: infer List) => unknown ? List : never;
type ResultOf<Method> = Method extends (...args: never) => infer Returned ? Returned : never;
type Decide<Method> =
  ArgumentsOf<Method> extends readonly (infer Part)[] ? Extract<Part, (...input: never) => unknown> : never;

type Mapping<Value, Context> = (change: (value: Value, context: Context, database: MemoryDatabase) => Value) => Breach;
type SideEffect<Method, Result> = (
  sideEffect: (database: MemoryDatabase, args: ArgumentsOf<Method>) => Result,
) => Breach;

/** The ways to break a method. The arguments of the method and of its `decide` are passed as lists. */
interface Breaches<Method, Port> {
  /** Replaces the method. */
  readonly replaceWith: (
    replacement: (
      args: ArgumentsOf<Method>,
      original: Port,
      database: MemoryDatabase,
      stores: Stores,
    ) => ResultOf<Method>,
  ) => Breach;
  /** Changes the arguments. */
  readonly mapArguments: (
    change: (args: ArgumentsOf<Method>, database: MemoryDatabase) => ArgumentsOf<Method>,
  ) => Breach;
  /** Changes the result. */
  readonly mapResult: Mapping<Awaited<ResultOf<Method>>, ArgumentsOf<Method>>;
  /** Changes the arguments of `decide`. */
  readonly mapDecisionInput: Mapping<ArgumentsOf<Decide<Method>>, ArgumentsOf<Method>>;
  /** Changes the result of `decide`. */
  readonly mapDecision: Mapping<ResultOf<Decide<Method>>, ArgumentsOf<Decide<Method>>>;
  /** Caches the first result for each name. */
  readonly cacheResults: (nameOf: (args: ArgumentsOf<Method>) => string) => Breach;
  /** Calls `decide` one tick early, and applies the decision although the state may have changed since. */
  readonly applyStaleDecision: () => Breach;
  /**
   * Calls the callback, waits for one tick, restores an earlier state by calling the callback's result, and runs the
   * method on that state.
   */
  readonly runOnStaleState: SideEffect<Method, () => unknown>;
  /** Runs a side effect before the method. */
  readonly runBefore: SideEffect<Method, unknown>;
  /** Runs a side effect after the method, unless the method fails. */
  readonly runAfter: (
    sideEffect: (database: MemoryDatabase, args: ArgumentsOf<Method>, result: Awaited<ResultOf<Method>>) => unknown,
  ) => Breach;
  /** Calls the callback before the method, and the callback's result after the method, to restore part of the state. */
  readonly restoreAfter: SideEffect<Method, (result: Awaited<ResultOf<Method>>) => unknown>;
  /** Writes no effects. */
  readonly dropEffects: () => Breach;
  /** Ignores the deadline. */
  readonly ignoreDeadline: () => Breach;
  /** Writes an audit entry if the method fails. */
  readonly writeEntryOnFailure: () => Breach;
  /** Swallows the error. */
  readonly ignoreErrors: () => Breach;
}

/** Returns the ways to break each method of a port. */
export const breachesOf = <Port extends keyof Stores>(port: Port) => {
  const names = Object.keys(createMemoryStores()[port]) as (keyof Stores[Port])[];
  // Only this cast relates the types of the breaches to the names of their methods.
  return Object.fromEntries(names.map((name) => [name, breachesOfMethod(port, name)])) as unknown as {
    readonly [Name in keyof Stores[Port]]: Breaches<Stores[Port][Name], Stores[Port]>;
  };
};

type List = readonly unknown[];
type Call = (...args: List) => unknown;
type Method = (...args: List) => Promise<unknown>;

const breachesOfMethod = <Port extends keyof Stores>(port: Port, name: keyof Stores[Port]) => {
  const replaceWith = (
    replacement: (args: List, original: Stores[Port], database: MemoryDatabase, stores: Stores) => unknown,
  ) =>
    breakPort(port, (original, stores, database) => {
      const method = { [name]: (...args: List) => replacement(args, original, database, stores) };
      return method as Partial<Stores[Port]>;
    });
  const wrapMethod = (replacement: (call: Method, args: List, database: MemoryDatabase, stores: Stores) => unknown) =>
    replaceWith((args, original, database, stores) => replacement(original[name] as Method, args, database, stores));
  const mapArguments = (change: (args: List, database: MemoryDatabase) => List) =>
    wrapMethod((call, args, database) => call(...change(args, database)));
  const restoreAfter = (prepare: (database: MemoryDatabase, args: List) => Call) =>
    wrapMethod(async (call, args, database) => {
      const restore = prepare(database, args);
      const result = await call(...args);
      restore(result);
      return result;
    });
  return {
    ...{ replaceWith, mapArguments, restoreAfter },
    mapResult: (change: Call) =>
      wrapMethod(async (call, args, database) => change(await call(...args), args, database)),
    mapDecisionInput: (change: (...args: List) => List) =>
      mapArguments((args, database) => wrapDecision(args, (decide, input) => decide(...change(input, args, database)))),
    mapDecision: (change: Call) =>
      mapArguments((args, database) =>
        wrapDecision(args, (decide, input) => change(decide(...input), input, database)),
      ),
    cacheResults: (nameOf: Call) => {
      const results = new Map<unknown, unknown>();
      return wrapMethod(async (call, args) => {
        const result = results.get(nameOf(args)) ?? (await call(...args));
        results.set(nameOf(args), result);
        return result;
      });
    },
    applyStaleDecision: () => wrapMethod(applyStaleDecision),
    runOnStaleState: (prepare: (...args: List) => Call) =>
      wrapMethod(async (call, args, database) => {
        const restore = prepare(database, args);
        await pause();
        restore();
        return call(...args);
      }),
    runBefore: (sideEffect: Call) =>
      wrapMethod(async (call, args, database) => {
        sideEffect(database, args);
        return call(...args);
      }),
    runAfter: (sideEffect: Call) => restoreAfter((database, args) => (result) => sideEffect(database, args, result)),
    dropEffects: () => mapArguments((args) => replaceEffects(args, noEffects)),
    ignoreDeadline: () => mapArguments((args) => replaceEffects(args, { deadline: null })),
    writeEntryOnFailure: () =>
      wrapMethod((call, args, _database, stores) => writeEntryOnFailure(stores, call(...args))),
    ignoreErrors: () => wrapMethod((call, args) => ignoreErrors(call(...args))),
  };
};

/** Returns the arguments with `decide` wrapped. */
const wrapDecision = (args: List, wrapper: (decide: Call, input: List) => unknown): List =>
  args.map((argument) =>
    typeof argument === 'function' ? (...input: List) => wrapper(argument as Call, input) : argument,
  );

/** Returns the arguments with the effects replaced, both those that are passed in and those that `decide` returns. */
const replaceEffects = (args: List, effects: Partial<Effects>): List => {
  const mergeEffects = (argument: unknown) =>
    typeof argument === 'object' && argument !== null && 'deadline' in argument
      ? { ...argument, ...effects }
      : argument;
  return wrapDecision(args, (decide, input) => mergeEffects(decide(...input))).map(mergeEffects);
};

/** Decides, lets concurrent calls also decide, and then applies the decision. */
const applyStaleDecision = async (call: Method, args: List): Promise<unknown> => {
  let change: unknown;
  const dryRun = wrapDecision(args, (decide, input) => {
    change = decide(...input);
    throw new Error('dry run');
  });
  await ignoreErrors(call(...dryRun));
  await pause();
  return call(...wrapDecision(args, (decide, input) => change ?? decide(...input)));
};

/** Awaits the attempt, and writes an audit entry if it fails. */
export const writeEntryOnFailure = async <Result>({ audit }: Stores, attempt: Promise<Result>): Promise<Result> => {
  try {
    return await attempt;
  } catch (error) {
    await audit.append(anEntry(), null);
    throw error;
  }
};

/** Awaits the attempt, and swallows its error. */
export const ignoreErrors = async (attempt: Promise<unknown>): Promise<void> =>
  void (await Promise.allSettled([attempt]));

/** Waits for one tick, so that every concurrent call reaches the same point. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Saves the entries of a map, or those that match. Returns a function that restores them. */
export const saveEntries = <Key, Value>(
  map: Map<Key, Value>,
  isMatch: (key: Key, value: Value) => boolean = () => true,
): (() => void) => {
  const savedEntries = [...map].filter(([key, value]) => isMatch(key, value));
  return () => savedEntries.forEach(([key, value]) => map.set(key, value));
};

/** Saves an entry of a map. Returns a function that changes the current entry, given the saved one. */
export const saveEntry = <Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  change: (currentValue: Value, savedValue: Value) => Value,
): (() => void) => {
  const savedValue = map.get(key);
  return () => {
    const currentValue = map.get(key);
    if (savedValue !== undefined && currentValue !== undefined) map.set(key, change(currentValue, savedValue));
  };
};

/** Changes part of an entry, if the map contains it. */
export const updateEntry = <Key, Value extends object>(
  map: Map<Key, Value>,
  key: Key,
  changes: Partial<Value>,
): void => {
  const value = map.get(key);
  if (value) map.set(key, { ...value, ...changes });
};
