import { canSignIn, toEmailKey, overdueMaxMs, type Group, type Profile } from '@portico/domain';
import { systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { pass, warn, fail, type Check, type Finding } from '../check.ts';
import { checkStores } from '../check-stores.ts';
import { formatBytes } from './data-folder.ts';

const responseTimeoutMs = 2_000;

export const workChecks: readonly Check[] = [
  {
    id: 'admins',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ profiles }, { getConfig }) => checkAdmins(getConfig(), await profiles.listAdmins()),
      ({ getConfig }) => checkAdmins(getConfig(), []),
    ),
    advice: 'Check "portico people list --admins".',
  },
  {
    id: 'names.equal',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ profiles, listGroupNames }) => checkDuplicates(await profiles.list(), await listGroupNames()),
      () => pass('There are no names yet.'),
    ),
    advice: 'Check "portico people list" and "portico groups list".',
  },
  {
    id: 'revisions',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ measureRevisions }) => {
        const { revisions, packedBytes } = await measureRevisions();
        return pass(`There are ${revisions} revisions; the earlier ones take ${formatBytes(packedBytes)}.`);
      },
      () => pass('There are no revisions yet.'),
    ),
    advice: 'Check REVISIONS_KEEP and REVISIONS_DAYS.',
  },
  {
    id: 'jobs.given-up',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ outbox }) => {
        const { deadLetters } = await outbox.readState(systemClock.now());
        if (deadLetters === 0) return pass('No job was given up.');
        return warn(
          `${deadLetters} ${deadLetters === 1 ? 'job was' : 'jobs were'} given up.`,
          '"portico jobs list" shows the reasons; then run "portico jobs retry" or "portico jobs discard".',
        );
      },
      () => pass('There are no jobs yet.'),
    ),
    advice: 'Check "portico jobs list".',
  },
  {
    id: 'jobs.waiting',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ outbox }) => {
        const now = systemClock.now();
        const { waiting, oldestDueAt } = await outbox.readState(now);
        const overdueMs = oldestDueAt === null ? 0 : now - oldestDueAt;
        if (overdueMs <= overdueMaxMs) return pass('Jobs run on time.');
        return warn(
          `A job has been due for ${Math.floor(overdueMs / 60_000)} minutes, and ${waiting} are waiting: no process seems to run jobs.`,
          'Start the service without JOBS=off, or a worker (npm run worker).',
        );
      },
      () => pass('There are no jobs yet.'),
    ),
    advice: 'Check "portico jobs list".',
  },
  {
    id: 'port',
    needs: ['configuration.host'],
    findSkipReason: ({ port }) => (port === 0 ? 'PORT=0: the system chooses a port at each startup.' : null),
    execute: ({ getConfig }) => checkPort(getConfig()),
    advice: 'Choose a different PORT.',
  },
];

const checkAdmins = ({ settings, firstAdmin }: Config, admins: readonly Profile[]): Finding => {
  const activeAdmins = admins.filter((admin) => canSignIn(settings, admin));
  if (activeAdmins.length > 0)
    return pass(`${activeAdmins.length} ${activeAdmins.length === 1 ? 'admin' : 'admins'} can sign in.`);
  if (firstAdmin) return pass(`The next startup makes ${firstAdmin.email} the first admin.`);
  return fail(
    admins.length > 0
      ? 'No admin can sign in: each admin is suspended, belongs to an issuer that is not configured, or has never signed in.'
      : 'There is no admin, and no one is configured to become one.',
    'Set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".',
  );
};

/** Reports duplicates: earlier versions distinguished email addresses and names that are considered equal now. */
const checkDuplicates = (profiles: readonly Profile[], groups: readonly Pick<Group, 'id' | 'name'>[]): Finding => {
  const profilesByEmail = [...Map.groupBy(profiles, ({ id, email }) => toEmailKey(email) ?? id).values()];
  const groupsByName = [...Map.groupBy(groups, ({ name }) => name.normalize('NFC')).values()];
  const duplicates = [
    ...profilesByEmail
      .filter(isDuplicated)
      .map((profilesOfKey) => `profiles ${profilesOfKey.map(({ email, id }) => `${email} (${id})`).join(', ')}`),
    ...groupsByName
      .filter(isDuplicated)
      .map((groupsOfName) => `groups ${groupsOfName.map(({ name, id }) => `${name} (${id})`).join(', ')}`),
  ];
  if (duplicates.length === 0) return pass('Each email address and each group name is unique.');
  return warn(
    `Duplicate email addresses or names, which an earlier version distinguished: ${duplicates.slice(0, listedMax).join('; ')}${duplicates.length > listedMax ? `; and ${duplicates.length - listedMax} more` : ''}.`,
    'Find out who uses them, keep one of each, and delete the others by id: "DELETE /api/profiles/{id}" or "/api/groups/{id}".',
  );
};

const listedMax = 10;
const isDuplicated = ({ length }: readonly unknown[]): boolean => length > 1;

const checkPort = async ({ host, port }: Config): Promise<Finding> => {
  const hostToReach = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const url = `http://${hostToReach}:${port}/health`;
  const hostAndPort = `${host}:${port}`;
  let listener = await identifyListener(url);
  // The response may have arrived while this process was blocked: other checks load drivers, which takes seconds on a
  // busy machine.
  if (listener === 'silent') listener = await identifyListener(url);
  switch (listener) {
    case 'nobody':
      return pass(`Nothing listens on ${hostAndPort}; the service can start there.`);
    case 'portico':
      return pass(`Portico responds at ${hostAndPort}.`);
    case 'silent':
      return warn(
        `The process that listens on ${hostAndPort} did not respond within ${responseTimeoutMs / 1_000} s.`,
        portAdvice,
      );
    case 'other':
      return warn(
        `Something other than Portico listens on ${hostAndPort}: the service cannot start there.`,
        portAdvice,
      );
  }
};

const portAdvice = 'Stop it, or choose a different PORT.';

/**
 * Identifies the listener by sending a request; trying to listen would take the port from a service that is starting.
 */
const identifyListener = async (url: string): Promise<'nobody' | 'portico' | 'silent' | 'other'> => {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(responseTimeoutMs) });
    return /^\{"status":"healthy","service":"/.test(await response.text()) ? 'portico' : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isUnused(error)) return 'nobody';
    return error.name === 'TimeoutError' ? 'silent' : 'other';
  }
};

const isUnused = ({ cause }: Error): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND'].includes(String(cause.code));
