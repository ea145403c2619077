import type { Deadline, Effects, Ports } from '@portico/domain';
import type { StartOptions } from '../matrix/listen.ts';

/** Where a request can be when its deadline expires: before or after its commit begins. */
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
  | 'grants'
  | 'requests'
  | 'groups'
  | 'audit'
  | 'limits'
  | 'embeddingJobs'
  | 'deadLetters'
>;

/** The store methods that change something. */
const changes: { readonly [Port in keyof Stores]?: readonly (keyof Stores[Port] & string)[] } = {
  profiles: ['add', 'update', 'remove', 'claimAdmin'],
  serviceAccounts: ['add', 'update', 'remove'],
  collections: ['add', 'update', 'remove'],
  grants: ['update'],
  requests: ['ask', 'decide'],
  groups: ['add', 'update', 'remove', 'updateMembers', 'followClaims'],
  limits: ['addTier', 'updateTier', 'removeTier', 'addOverride', 'updateOverride', 'removeOverride'],
  embeddingJobs: ['startRun', 'enqueue'],
  deadLetters: ['requeue', 'requeueEach', 'requeueAll', 'discard'],
  audit: ['append'],
};
/** The ports that admission calls. */
const admission: readonly string[] = ['callers', 'limiter'];

type Method = (...parameters: readonly unknown[]) => unknown;

/**
 * Expires deadlines by hand: all of them at the chosen step, and none at another. If the commit has not begun, the port
 * call at that step waits until the request is answered, so the rest of its work comes late.
 */
export const createStage = () => {
  const armed = new Set<() => void>();
  let chosen: { readonly step: Step; readonly answered: Promise<unknown>; isReached: boolean } | null = null;
  let underWay = 0;

  const expireAll = (): void => {
    for (const ring of armed) ring();
    armed.clear();
  };
  const reach = (step: Step): Promise<unknown> | null => {
    if (chosen?.step !== step) return null;
    chosen.isReached = true;
    expireAll();
    return steps[step] === 'before' ? chosen.answered : null;
  };

  const staged = (port: string, name: string, method: Method): Method =>
    async function (...parameters) {
      underWay += 1;
      try {
        if (admission.includes(port)) await reach('during admission');
        const isChange = (changes[port as keyof Stores] as readonly string[] | undefined)?.includes(name) ?? false;
        if (!isChange) return await method(...parameters);
        await reach('before its change');
        const answer = await method(...parameters.map((parameter) => watched(parameter, reach)));
        await reach('after the commit');
        return answer;
      } finally {
        underWay -= 1;
      }
    };

  const stagedPort = <Port extends object>(port: string, right: Port): Port =>
    new Proxy(right, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        // Only methods that return promises are staged.
        if (typeof method !== 'function' || typeof name === 'symbol' || name === 'export') return method;
        return staged(port, name, method.bind(target) as Method);
      },
    });

  const options: StartOptions = {
    timer: (_milliseconds, ring) => {
      armed.add(ring);
      return () => armed.delete(ring);
    },
    ports: ({
      callers,
      limiter,
      profiles,
      serviceAccounts,
      collections,
      grants,
      groups,
      requests,
      audit,
      limits,
      embeddingJobs,
      deadLetters,
    }) => ({
      callers: stagedPort('callers', callers),
      limiter: stagedPort('limiter', limiter),
      profiles: stagedPort('profiles', profiles),
      serviceAccounts: stagedPort('serviceAccounts', serviceAccounts),
      collections: stagedPort('collections', collections),
      grants: stagedPort('grants', grants),
      groups: stagedPort('groups', groups),
      requests: stagedPort('requests', requests),
      audit: stagedPort('audit', audit),
      limits: stagedPort('limits', limits),
      embeddingJobs: stagedPort('embeddingJobs', embeddingJobs),
      deadLetters: stagedPort('deadLetters', deadLetters),
    }),
  };

  return {
    options,
    expireAll,
    /** Sends a request whose deadline expires at that step; returns once all its work has ended. */
    async play<Answer>(step: Step, request: () => Promise<Answer>) {
      const { promise: answered, resolve } = Promise.withResolvers<unknown>();
      const choice = { step, answered, isReached: false };
      chosen = choice;
      try {
        const answer = await request();
        resolve(answer);
        await quiet(() => underWay);
        return { answer, isReached: choice.isReached };
      } finally {
        chosen = null;
      }
    },
  };
};

/** Watches a deadline, also in effects or in the effects that a decision returns; returns other parameters as they are. */
const watched = (parameter: unknown, reach: (step: Step) => unknown): unknown => {
  if (typeof parameter === 'function')
    return (...state: readonly unknown[]) => watched((parameter as Method)(...state), reach);
  if (isEffects(parameter)) return { ...parameter, deadline: watched(parameter.deadline, reach) };
  return isDeadline(parameter) ? watchedDeadline(parameter, reach) : parameter;
};

const watchedDeadline = (right: Deadline, reach: (step: Step) => unknown): Deadline => ({
  get expired() {
    return right.expired;
  },
  beginCommit() {
    reach('at the end of its transaction, before the commit');
    right.beginCommit();
    reach('during the commit');
  },
  onExpired: (callback) => right.onExpired(callback),
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isEffects = (value: unknown): value is Effects => isObject(value) && 'deadline' in value;
const isDeadline = (value: unknown): value is Deadline => isObject(value) && 'beginCommit' in value;

const quietTurns = 5;

/** Resolves once nothing has been in progress for some turns of the event loop. */
const quiet = async (underWay: () => number): Promise<void> => {
  for (let turns = 0; turns < quietTurns; turns = underWay() > 0 ? 0 : turns + 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};
