import type { Deadline, Effects, Ports } from '@portico/domain';
import type { StartOptions } from '../matrix/listen.ts';

/** The steps of a request at which its deadline can expire: before or after its commit begins. */
export const steps = {
  'during admission': 'before',
  'before its change': 'before',
  'at the end of its transaction, before the commit': 'before',
  'during the commit': 'after',
  'after the commit': 'after',
} as const;
export type Step = keyof typeof steps;

type Stores = Pick<
  Ports,
  | 'callers'
  | 'profiles'
  | 'serviceAccounts'
  | 'collections'
  | 'credentials'
  | 'calls'
  | 'grants'
  | 'requests'
  | 'webhooks'
  | 'groups'
  | 'audit'
  | 'limits'
  | 'embeddingJobs'
  | 'deadLetters'
>;

/** The store methods that make changes. */
const changingMethods: { readonly [Port in keyof Stores]?: readonly (keyof Stores[Port] & string)[] } = {
  profiles: ['add', 'update', 'remove', 'claimAdmin'],
  serviceAccounts: ['add', 'update', 'remove'],
  collections: ['add', 'update', 'remove'],
  credentials: ['update', 'updateSubject', 'bind'],
  calls: ['create', 'decide'],
  grants: ['update'],
  requests: ['create', 'decide'],
  webhooks: ['add', 'update', 'remove'],
  groups: ['add', 'update', 'remove', 'updateMembers', 'syncClaims'],
  limits: ['addTier', 'updateTier', 'removeTier', 'addOverride', 'updateOverride', 'removeOverride'],
  embeddingJobs: ['startRun', 'enqueue'],
  deadLetters: ['requeue', 'requeueEach', 'requeueAll', 'discard'],
  audit: ['append'],
};
/** The ports that admission calls. */
const admissionPorts: readonly string[] = ['callers', 'limiter'];

type Method = (...parameters: readonly unknown[]) => unknown;

/**
 * Creates a control that expires deadlines manually: all deadlines expire at the chosen step, and none at any other
 * step. If the commit has not begun, the port call at that step waits for the response, so that the rest of the
 * request's work is late.
 */
export const createDeadlineControl = () => {
  const pendingTimers = new Set<() => void>();
  let currentExpiry: { readonly step: Step; readonly responded: Promise<unknown>; isReached: boolean } | null = null;
  let callsInFlight = 0;

  const expireAll = (): void => {
    for (const expire of pendingTimers) expire();
    pendingTimers.clear();
  };
  const reachStep = (step: Step): Promise<unknown> | null => {
    if (currentExpiry?.step !== step) return null;
    currentExpiry.isReached = true;
    expireAll();
    return steps[step] === 'before' ? currentExpiry.responded : null;
  };

  const instrumentMethod = (port: string, name: string, method: Method): Method =>
    async function (...parameters) {
      callsInFlight += 1;
      try {
        if (admissionPorts.includes(port)) await reachStep('during admission');
        const isChange =
          (changingMethods[port as keyof Stores] as readonly string[] | undefined)?.includes(name) ?? false;
        if (!isChange) return await method(...parameters);
        await reachStep('before its change');
        const result = await method(...parameters.map((parameter) => watchDeadlines(parameter, reachStep)));
        await reachStep('after the commit');
        return result;
      } finally {
        callsInFlight -= 1;
      }
    };

  const instrumentPort = <Port extends object>(port: string, original: Port): Port =>
    new Proxy(original, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        // Only methods that return promises are instrumented.
        if (typeof method !== 'function' || typeof name === 'symbol' || name === 'export') return method;
        return instrumentMethod(port, name, method.bind(target) as Method);
      },
    });

  const options: StartOptions = {
    startTimer: (_milliseconds, expire) => {
      pendingTimers.add(expire);
      return () => pendingTimers.delete(expire);
    },
    ports: ({
      callers,
      limiter,
      profiles,
      serviceAccounts,
      collections,
      credentials,
      calls,
      grants,
      groups,
      requests,
      audit,
      limits,
      embeddingJobs,
      deadLetters,
      webhooks,
    }) => ({
      callers: instrumentPort('callers', callers),
      limiter: instrumentPort('limiter', limiter),
      calls: instrumentPort('calls', calls),
      profiles: instrumentPort('profiles', profiles),
      serviceAccounts: instrumentPort('serviceAccounts', serviceAccounts),
      collections: instrumentPort('collections', collections),
      credentials: instrumentPort('credentials', credentials),
      grants: instrumentPort('grants', grants),
      groups: instrumentPort('groups', groups),
      requests: instrumentPort('requests', requests),
      audit: instrumentPort('audit', audit),
      limits: instrumentPort('limits', limits),
      embeddingJobs: instrumentPort('embeddingJobs', embeddingJobs),
      deadLetters: instrumentPort('deadLetters', deadLetters),
      webhooks: instrumentPort('webhooks', webhooks),
    }),
  };

  return {
    options,
    expireAll,
    /** Sends a request whose deadline expires at `step`. Resolves when all of the request's work is done. */
    async expireAt<Response>(step: Step, request: () => Promise<Response>) {
      const { promise: responded, resolve } = Promise.withResolvers<unknown>();
      const expiry = { step, responded, isReached: false };
      currentExpiry = expiry;
      try {
        const response = await request();
        resolve(response);
        await waitUntilIdle(() => callsInFlight);
        return { response, isReached: expiry.isReached };
      } finally {
        currentExpiry = null;
      }
    },
  };
};

/** Wraps a deadline, also in effects or in the effects of a decision. Returns other parameters unchanged. */
const watchDeadlines = (parameter: unknown, reachStep: (step: Step) => unknown): unknown => {
  if (typeof parameter === 'function')
    return (...args: readonly unknown[]) => watchDeadlines((parameter as Method)(...args), reachStep);
  if (isEffects(parameter)) return { ...parameter, deadline: watchDeadlines(parameter.deadline, reachStep) };
  return isDeadline(parameter) ? watchDeadline(parameter, reachStep) : parameter;
};

const watchDeadline = (deadline: Deadline, reachStep: (step: Step) => unknown): Deadline => ({
  get hasExpired() {
    return deadline.hasExpired;
  },
  beginCommit() {
    reachStep('at the end of its transaction, before the commit');
    deadline.beginCommit();
    reachStep('during the commit');
  },
  onExpired: (callback) => deadline.onExpired(callback),
  suspend: () => deadline.suspend(),
  restart: () => deadline.restart(),
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isEffects = (value: unknown): value is Effects => isObject(value) && 'deadline' in value;
const isDeadline = (value: unknown): value is Deadline => isObject(value) && 'beginCommit' in value;

const idleTicks = 5;

/** Resolves after several ticks of the event loop without a call in flight. */
const waitUntilIdle = async (countCallsInFlight: () => number): Promise<void> => {
  for (let ticks = 0; ticks < idleTicks; ticks = countCallsInFlight() > 0 ? 0 : ticks + 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};
