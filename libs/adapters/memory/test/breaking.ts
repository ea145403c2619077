import { anEntry, noEffects, type Stores } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { createMemoryDatabase, type MemoryDatabase } from '../src/memory-database.ts';
import { createMemoryStores } from '../src/memory-stores.ts';

export type Breach = (stores: Stores, database?: MemoryDatabase) => Stores;

/** Memory stores with some methods of one port replaced by broken ones, which may use the correct ones and the state. */
export const breaking =
  <Port extends keyof Stores>(
    port: Port,
    broken: (right: Stores[Port], stores: Stores, database: MemoryDatabase) => Partial<Stores[Port]>,
  ): Breach =>
  (_stores, database = createMemoryDatabase()) => {
    const stores = createMemoryStores(database);
    return { ...stores, [port]: { ...stores[port], ...broken(stores[port], stores, database) } };
  };

type Asked<Method> = Method extends (...asked: infer List) => unknown ? List : never;
type Answer<Method> = Method extends (...asked: never) => infer Returned ? Returned : never;
type Decide<Method> =
  Asked<Method> extends readonly (infer Part)[] ? Extract<Part, (...seen: never) => unknown> : never;

type Altering<It, By> = (alter: (it: It, by: By, database: MemoryDatabase) => It) => Breach;
type Acting<Method, Done> = (act: (database: MemoryDatabase, asked: Asked<Method>) => Done) => Breach;

/** The ways to break a method. What it is asked, and what its decision sees, come as lists. */
interface Breaches<Method, Port> {
  /** Another method stands in its place. */
  readonly instead: (
    broken: (asked: Asked<Method>, right: Port, database: MemoryDatabase, stores: Stores) => Answer<Method>,
  ) => Breach;
  /** It is asked something else. */
  readonly asking: (alter: (asked: Asked<Method>, database: MemoryDatabase) => Asked<Method>) => Breach;
  /** It returns something else. */
  readonly returning: Altering<Awaited<Answer<Method>>, Asked<Method>>;
  /** Its decision sees something else. */
  readonly misleading: Altering<Asked<Decide<Method>>, Asked<Method>>;
  /** Its decision returns something else. */
  readonly deciding: Altering<Answer<Decide<Method>>, Asked<Decide<Method>>>;
  /** It remembers its first answer under each name. */
  readonly remembering: (nameOf: (asked: Asked<Method>) => string) => Breach;
  /** It carries out what it decided on what it saw a moment before. */
  readonly stale: () => Breach;
  /** It waits, and then acts on a state of before, which is restored. */
  readonly racing: Acting<Method, () => unknown>;
  /** Something happens before it. */
  readonly preceded: Acting<Method, unknown>;
  /** Something happens after it, unless it fails. */
  readonly followed: (
    act: (database: MemoryDatabase, asked: Asked<Method>, answer: Awaited<Answer<Method>>) => unknown,
  ) => Breach;
  /** It leaves behind what is restored after it. */
  readonly leaving: Acting<Method, (answer: Awaited<Answer<Method>>) => unknown>;
  /** It writes no effects. */
  readonly withoutEffects: () => Breach;
  /** It ignores its deadline. */
  readonly withoutDeadline: () => Breach;
  /** It writes an entry if it fails. */
  readonly leaking: () => Breach;
  /** Its error is swallowed. */
  readonly hushing: () => Breach;
}

/** The ways to break each method of a port. */
export const breachesOf = <Port extends keyof Stores>(port: Port) => {
  const names = Object.keys(createMemoryStores()[port]) as (keyof Stores[Port])[];
  // What the types of a breach have to do with the name of its method is said here alone.
  return Object.fromEntries(names.map((name) => [name, breachesOfMethod(port, name)])) as unknown as {
    readonly [Name in keyof Stores[Port]]: Breaches<Stores[Port][Name], Stores[Port]>;
  };
};

type List = readonly unknown[];
type Call = (...given: List) => unknown;
type Method = (...asked: List) => Promise<unknown>;

const breachesOfMethod = <Port extends keyof Stores>(port: Port, name: keyof Stores[Port]) => {
  const instead = (broken: (asked: List, right: Stores[Port], database: MemoryDatabase, stores: Stores) => unknown) =>
    breaking(port, (right, stores, database) => {
      const method = { [name]: (...asked: List) => broken(asked, right, database, stores) };
      return method as Partial<Stores[Port]>;
    });
  const around = (broken: (call: Method, asked: List, database: MemoryDatabase, stores: Stores) => unknown) =>
    instead((asked, right, database, stores) => broken(right[name] as Method, asked, database, stores));
  const asking = (alter: (asked: List, database: MemoryDatabase) => List) =>
    around((call, asked, database) => call(...alter(asked, database)));
  const leaving = (leave: (database: MemoryDatabase, asked: List) => Call) =>
    around(async (call, asked, database) => {
      const restore = leave(database, asked);
      const answer = await call(...asked);
      restore(answer);
      return answer;
    });
  return {
    ...{ instead, asking, leaving },
    returning: (alter: Call) => around(async (call, asked, database) => alter(await call(...asked), asked, database)),
    misleading: (alter: (...given: List) => List) =>
      asking((asked, database) => withDecision(asked, (decide, seen) => decide(...alter(seen, asked, database)))),
    deciding: (alter: Call) =>
      asking((asked, database) => withDecision(asked, (decide, seen) => alter(decide(...seen), seen, database))),
    remembering: (nameOf: Call) => {
      const answers = new Map<unknown, unknown>();
      return around(async (call, asked) => {
        const answer = answers.get(nameOf(asked)) ?? (await call(...asked));
        answers.set(nameOf(asked), answer);
        return answer;
      });
    },
    stale: () => around(deferred),
    racing: (leave: (...given: List) => Call) =>
      around(async (call, asked, database) => {
        const restore = leave(database, asked);
        await pause();
        restore();
        return call(...asked);
      }),
    preceded: (act: Call) =>
      around(async (call, asked, database) => {
        act(database, asked);
        return call(...asked);
      }),
    followed: (act: Call) => leaving((database, asked) => (answer) => act(database, asked, answer)),
    withoutEffects: () => asking((asked) => withEffects(asked, noEffects)),
    withoutDeadline: () => asking((asked) => withEffects(asked, { deadline: null })),
    leaking: () => around((call, asked, _database, stores) => leaking(stores, call(...asked))),
    hushing: () => around((call, asked) => hushed(call(...asked))),
  };
};

/** The arguments, with another decision. */
const withDecision = (asked: List, other: (decide: Call, seen: List) => unknown): List =>
  asked.map((part) => (typeof part === 'function' ? (...seen: List) => other(part as Call, seen) : part));

/** The arguments, with other effects, given or decided. */
const withEffects = (asked: List, effects: Partial<Effects>): List => {
  const altered = (part: unknown) =>
    typeof part === 'object' && part !== null && 'deadline' in part ? { ...part, ...effects } : part;
  return withDecision(asked, (decide, seen) => altered(decide(...seen))).map(altered);
};

/** Decides, lets others do so too, and carries out what was decided. */
const deferred = async (call: Method, asked: List): Promise<unknown> => {
  let change: unknown;
  const look = withDecision(asked, (decide, seen) => {
    change = decide(...seen);
    throw new Error('only to look');
  });
  await hushed(call(...look));
  await pause();
  return call(...withDecision(asked, (decide, seen) => change ?? decide(...seen)));
};

/** The attempt, which writes an entry if it fails. */
export const leaking = async <Done>({ audit }: Stores, attempt: Promise<Done>): Promise<Done> => {
  try {
    return await attempt;
  } catch (error) {
    await audit.append(anEntry(), null);
    throw error;
  }
};

/** The attempt, with its error swallowed. */
export const hushed = async (attempt: Promise<unknown>): Promise<void> => void (await Promise.allSettled([attempt]));

/** Long enough for every concurrent call to get here. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Puts back what a map has now, or of that what is kept. */
export const restoring = <Key, Value>(
  map: Map<Key, Value>,
  isKept: (key: Key, value: Value) => boolean = () => true,
): (() => void) => {
  const before = [...map].filter(([key, value]) => isKept(key, value));
  return () => before.forEach(([key, value]) => map.set(key, value));
};

/** Alters an entry that a map has now, and later, by what it is now. */
export const restoringPart = <Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  alter: (after: Value, before: Value) => Value,
): (() => void) => {
  const before = map.get(key);
  return () => {
    const after = map.get(key);
    if (before !== undefined && after !== undefined) map.set(key, alter(after, before));
  };
};

/** Changes a part of an entry, if a map has it. */
export const changing = <Key, Value extends object>(map: Map<Key, Value>, key: Key, part: Partial<Value>): void => {
  const value = map.get(key);
  if (value) map.set(key, { ...value, ...part });
};
