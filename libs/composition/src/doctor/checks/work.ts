import { canSignIn, emailKey, overdueMaxMs, type Group, type Profile } from '@portico/domain';
import { systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { ok, warning, wrong, type Check, type Finding } from '../check.ts';
import { checkStores } from '../check-stores.ts';

const responseMs = 2_000;

export const workChecks: readonly Check[] = [
  {
    id: 'admins',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ profiles }, { config }) => checkAdmins(config(), await profiles.admins()),
      ({ config }) => checkAdmins(config(), []),
    ),
    advice: 'Check "portico people list --admins".',
  },
  {
    id: 'names.equal',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ profiles, groupNames }) => checkDuplicates(await profiles.list(), await groupNames()),
      () => ok('There are no names yet.'),
    ),
    advice: 'Check "portico people list" and "portico groups list".',
  },
  {
    id: 'jobs.given-up',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ outbox }) => {
        const { deadLetters } = await outbox.state(systemClock.now());
        if (deadLetters === 0) return ok('No job was given up.');
        return warning(
          `${deadLetters} ${deadLetters === 1 ? 'job was' : 'jobs were'} given up.`,
          '"portico jobs list" says why; then "portico jobs retry" or "portico jobs discard".',
        );
      },
      () => ok('There are no jobs yet.'),
    ),
    advice: 'Check "portico jobs list".',
  },
  {
    id: 'jobs.waiting',
    needs: ['database.tables'],
    execute: checkStores(
      async ({ outbox }) => {
        const now = systemClock.now();
        const { waiting, oldestDueAt } = await outbox.state(now);
        const overdueMs = oldestDueAt === null ? 0 : now - oldestDueAt;
        if (overdueMs <= overdueMaxMs) return ok('Jobs are run in time.');
        return warning(
          `A job has been due for ${Math.floor(overdueMs / 60_000)} minutes, and ${waiting} wait: no process seems to run jobs.`,
          'Start the service without JOBS=off, or a worker (npm run worker).',
        );
      },
      () => ok('There are no jobs yet.'),
    ),
    advice: 'Check "portico jobs list".',
  },
  {
    id: 'port',
    needs: ['configuration.host'],
    findSkipReason: ({ port }) => (port === 0 ? 'PORT=0: the system chooses a port at each start.' : null),
    execute: ({ config }) => checkPort(config()),
    advice: 'Choose another PORT.',
  },
];

const checkAdmins = ({ settings, firstAdmin }: Config, admins: readonly Profile[]): Finding => {
  const activeAdmins = admins.filter((admin) => canSignIn(settings, admin));
  if (activeAdmins.length > 0)
    return ok(`${activeAdmins.length} ${activeAdmins.length === 1 ? 'admin' : 'admins'} can sign in.`);
  if (firstAdmin) return ok(`The next start makes ${firstAdmin.email} the first admin.`);
  return wrong(
    admins.length > 0
      ? 'No admin can sign in: each is suspended, or of an issuer that is not configured, or no one has signed in as it.'
      : 'There is no admin, and no one is configured to become one.',
    'Set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".',
  );
};

/** Reports duplicates: earlier versions distinguished email addresses and names that are considered equal now. */
const checkDuplicates = (profiles: readonly Profile[], groups: readonly Pick<Group, 'id' | 'name'>[]): Finding => {
  const profilesByEmail = [...Map.groupBy(profiles, ({ id, email }) => emailKey(email) ?? id).values()];
  const groupsByName = [...Map.groupBy(groups, ({ name }) => name.normalize('NFC')).values()];
  const duplicates = [
    ...profilesByEmail
      .filter(isDuplicated)
      .map((profilesOfKey) => `profiles ${profilesOfKey.map(({ email, id }) => `${email} (${id})`).join(', ')}`),
    ...groupsByName
      .filter(isDuplicated)
      .map((groupsOfName) => `groups ${groupsOfName.map(({ name, id }) => `${name} (${id})`).join(', ')}`),
  ];
  if (duplicates.length === 0) return ok('Each e-mail and each name of a group is there once.');
  return warning(
    `Equal e-mails or names, which an earlier version distinguished: ${duplicates.slice(0, listedMax).join('; ')}${duplicates.length > listedMax ? `; and ${duplicates.length - listedMax} more` : ''}.`,
    'Find out who uses them, keep one of each, and delete the others by id: "DELETE /api/profiles/{id}" or "/api/groups/{id}".',
  );
};

const listedMax = 10;
const isDuplicated = ({ length }: readonly unknown[]): boolean => length > 1;

const checkPort = async ({ host, port }: Config): Promise<Finding> => {
  const hostToReach = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const url = `http://${hostToReach}:${port}/health`;
  const at = `${host}:${port}`;
  let listener = await listenerAt(url);
  // The response may have arrived while this process was blocked: other checks load drivers, which takes seconds on a
  // busy machine.
  if (listener === 'silent') listener = await listenerAt(url);
  switch (listener) {
    case 'nobody':
      return ok(`Nothing listens at ${at}; the service can start there.`);
    case 'portico':
      return ok(`Portico responds at ${at}.`);
    case 'silent':
      return warning(`The process that listens at ${at} did not respond within ${responseMs / 1_000} s.`, portAdvice);
    case 'other':
      return warning(`Something other than Portico listens at ${at}: the service cannot start there.`, portAdvice);
  }
};

const portAdvice = 'Stop it, or choose another PORT.';

/**
 * Identifies the listener by sending a request; trying to listen would take the port from a service that is starting.
 */
const listenerAt = async (url: string): Promise<'nobody' | 'portico' | 'silent' | 'other'> => {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(responseMs) });
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
