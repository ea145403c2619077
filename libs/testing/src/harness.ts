import {
  memoryIssuer,
  createMemoryRandomSource,
  createMemoryClock,
  createMemoryEmbedder,
  createMemoryJobQueue,
  createMemoryKeyHasher,
  createMemoryMailer,
  createMemoryRateLimiter,
  createMemoryStores,
  createMemoryTokenVerifier,
  createMemoryCipher,
  createMemoryVectorIndex,
} from '@portico/memory';
import { createUseCases, type Ports, type Settings } from '@portico/domain';
import { createDocumentReader } from '@portico/openapi';
import { runDueJobs } from './run-due-jobs.ts';

/** What the configuration says outside of production where no variable is set: nobody is counted by address. */
export const defaultSettings: Settings = {
  issuers: [memoryIssuer],
  identityEmailCheck: 'claimed',
  registrationRequiresToken: false,
  adminNotices: true,
  strictDocuments: false,
  defaultLimit: { allowed: 600, windowSeconds: 60 },
  anonymousLimit: null,
  failedCredentialsLimit: null,
};

/** The real one, once for all harnesses: its thread starts at the first document and holds no process open. */
const documents = createDocumentReader();

/** The whole system in memory, with a clock that stands still and what a test wants to look at or to break. */
export type Harness = ReturnType<typeof createHarness>;

/** `settings` and `ports` take the place of the defaults, so that a test can set what it is about. */
export const createHarness = (settings: Partial<Settings> = {}, ports: Partial<Ports> = {}) => {
  const clock = createMemoryClock();
  const queue = createMemoryJobQueue();
  const mailer = createMemoryMailer();
  const embedder = createMemoryEmbedder();
  const tokens = createMemoryTokenVerifier({ clock, issuers: settings.issuers ?? defaultSettings.issuers });
  const stores = createMemoryStores();
  const inMemory: Ports = {
    ...stores,
    clock,
    random: createMemoryRandomSource(),
    limiter: createMemoryRateLimiter(clock),
    vectors: createMemoryVectorIndex(stores),
    embedder,
    queue,
    mailer,
    tokens,
    keys: createMemoryKeyHasher(),
    cipher: createMemoryCipher(),
    probes: [],
  };
  const all: Ports = { ...inMemory, ...ports };
  const useCases = createUseCases(all, { ...defaultSettings, ...settings });
  return {
    ports: all,
    useCases,
    clock,
    queue,
    mailer,
    embedder,
    tokens,
    documents,
    /** Works every job that is due now, and those that they leave. */
    runJobs: (): Promise<void> => runDueJobs(all, useCases, () => all.clock.now()),
  };
};
