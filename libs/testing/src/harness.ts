import { randomBytes } from 'node:crypto';
import { createInProcessJobQueue, createInProcessRateLimiter } from '@portico/inprocess';
import {
  createMemoryClock,
  createMemoryMailer,
  createMemoryRandomSource,
  createMemoryStores,
  type MemoryClock,
  type MemoryMailer,
} from '@portico/memory';
import { createDocumentReader, createOperationSlicer } from '@portico/openapi';
import { createAesGcmCipher, createArgon2KeyHasher, createHmacMessageSigner } from '@portico/secrets';
import { createEmbeddedOperationIndex, createEmbeddedVectorIndex } from '@portico/vectors';
import { createWordVectorEmbedders } from '@portico/word-vectors';
import {
  createUseCases,
  jobKinds,
  type DocumentReader,
  type JobKind,
  type JobQueue,
  type Ports,
  type RateLimiter,
  type Settings,
  type UseCases,
} from '@portico/domain';
import { runDueJobs } from './run-due-jobs.ts';
import { createSwitchedEmbedder, type SwitchedEmbedder } from './switched-embedder.ts';
import { createTestIssuer, testGroupsClaim, testIssuer, type TestIssuer } from './test-issuer.ts';

/** The default settings outside production: requests are not limited by address. */
export const defaultSettings: Settings = {
  issuers: [testIssuer],
  identityEmailCheck: 'claimed',
  registrationRequiresToken: false,
  adminNotices: true,
  publicUrl: null,
  strictDocuments: false,
  defaultLimit: { allowed: 600, windowSeconds: 60 },
  anonymousLimit: null,
  failedCredentialsLimit: null,
  callLimit: null,
};

/**
 * The real implementations, shared by all harnesses. Their threads start on first use and do not keep the process
 * alive.
 */
const documents = createDocumentReader();
const slicer = createOperationSlicer();

/** The real implementations of the embedders, also shared, so that their table is read only once. */
const { embedder: builtInEmbedder, operationEmbedder } = createWordVectorEmbedders();

/**
 * The whole system in this process: stores, emails and time are in memory; everything else works as it does for a
 * service on one machine. The clock is stopped, and tests can inspect and break anything.
 */
export interface Harness {
  readonly ports: Ports;
  readonly useCases: UseCases;
  readonly clock: MemoryClock;
  readonly queue: JobQueue;
  readonly mailer: MemoryMailer;
  readonly embedder: SwitchedEmbedder;
  readonly tokens: TestIssuer;
  readonly documents: DocumentReader;
  /** Runs all jobs that are due now, including jobs that these jobs add. */
  readonly runJobs: () => Promise<void>;
}

/** Creates a harness. `settings` and `ports` override the defaults. */
export const createHarness = (settings: Partial<Settings> = {}, ports: Partial<Ports> = {}): Harness => {
  const clock = createMemoryClock();
  const queue = createInProcessJobQueue({ concurrency: onePerKind });
  const mailer = createMemoryMailer();
  const embedder = createSwitchedEmbedder(builtInEmbedder);
  const tokens = createTestIssuer({
    clock,
    issuers: settings.issuers ?? defaultSettings.issuers,
    groupsClaim: testGroupsClaim,
  });
  const stores = createMemoryStores();
  const memoryPorts: Ports = {
    ...stores,
    clock,
    random: createMemoryRandomSource(),
    limiter: createLimiter(clock),
    vectors: createEmbeddedVectorIndex(stores),
    embedder,
    earlierEmbedders: [],
    operationEmbedder,
    operationIndex: createEmbeddedOperationIndex({ blocks: stores.operationBlocks }),
    documents,
    slicer,
    egress: null,
    queue,
    mailer,
    tokens,
    keys: createArgon2KeyHasher({ pepper: randomBytes(32), concurrency: 2 }),
    cipher: createAesGcmCipher({ current: randomBytes(32), previous: [] }),
    signer: createHmacMessageSigner(),
    webhookEgress: {
      send: () => Promise.reject(new Error('The harness has no way out.')),
      allowsPlain: async () => false,
    },
    probes: [],
  };
  const allPorts: Ports = { ...memoryPorts, ...ports };
  const useCases = createUseCases(allPorts, { ...defaultSettings, ...settings });
  return {
    ports: allPorts,
    useCases,
    clock,
    queue,
    mailer,
    embedder,
    tokens,
    documents,
    runJobs: () => runDueJobs(allPorts, useCases, () => allPorts.clock.now()),
  };
};

const onePerKind = Object.fromEntries(jobKinds.map((kind) => [kind, 1])) as Record<JobKind, number>;

const createLimiter = (clock: Ports['clock']): RateLimiter => {
  const limiter = createInProcessRateLimiter({ clock });
  return {
    consume: async (subject, rule) => (await limiter).consume(subject, rule),
    peek: async (subject, rule) => (await limiter).peek(subject, rule),
    peekMany: async (queries) => (await limiter).peekMany(queries),
  };
};
