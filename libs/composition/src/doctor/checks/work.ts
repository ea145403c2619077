import { canSignIn, emailKey, overdueMaxMs, type Group, type Profile } from '@portico/domain';
import { systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { ok, warning, wrong, type Check, type Finding } from '../check.ts';
import { askingStores } from '../asking-stores.ts';

const answerMs = 2_000;

export const workChecks: readonly Check[] = [
  {
    id: 'admins',
    needs: ['database.tables'],
    ask: askingStores(
      async ({ profiles }, { config }) => judgeAdmins(config(), await profiles.admins()),
      ({ config }) => judgeAdmins(config(), []),
    ),
    advice: 'Look at "portico people list --admins".',
  },
  {
    id: 'names.equal',
    needs: ['database.tables'],
    ask: askingStores(
      async ({ profiles, groupNames }) => judgeEqual(await profiles.list(), await groupNames()),
      () => ok('There are no names yet.'),
    ),
    advice: 'Look at "portico people list" and "portico groups list".',
  },
  {
    id: 'jobs.given-up',
    needs: ['database.tables'],
    ask: askingStores(
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
    advice: 'Look at "portico jobs list".',
  },
  {
    id: 'jobs.waiting',
    needs: ['database.tables'],
    ask: askingStores(
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
    advice: 'Look at "portico jobs list".',
  },
  {
    id: 'port',
    needs: ['configuration.host'],
    isIdle: ({ port }) => (port === 0 ? 'PORT=0: the system chooses a port at each start.' : null),
    ask: ({ config }) => judgePort(config()),
    advice: 'Choose another PORT.',
  },
];

const judgeAdmins = ({ settings, firstAdmin }: Config, admins: readonly Profile[]): Finding => {
  const able = admins.filter((admin) => canSignIn(settings, admin));
  if (able.length > 0) return ok(`${able.length} ${able.length === 1 ? 'admin' : 'admins'} can sign in.`);
  if (firstAdmin) return ok(`The next start makes ${firstAdmin.email} the first admin.`);
  return wrong(
    admins.length > 0
      ? 'No admin can sign in: each is suspended, or of an issuer that is not configured, or nobody has signed in as it.'
      : 'There is no admin, and nobody is named to become one.',
    'Set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".',
  );
};

/** Earlier versions told apart what is one e-mail or one name now. */
const judgeEqual = (profiles: readonly Profile[], groups: readonly Pick<Group, 'id' | 'name'>[]): Finding => {
  const people = [...Map.groupBy(profiles, ({ id, email }) => emailKey(email) ?? id).values()];
  const named = [...Map.groupBy(groups, ({ name }) => name.normalize('NFC')).values()];
  const equal = [
    ...people.filter(isShared).map((same) => `profiles ${same.map(({ email, id }) => `${email} (${id})`).join(', ')}`),
    ...named.filter(isShared).map((same) => `groups ${same.map(({ name, id }) => `${name} (${id})`).join(', ')}`),
  ];
  if (equal.length === 0) return ok('Each e-mail and each name of a group is there once.');
  return warning(
    `Equal e-mails or names, which an earlier version told apart: ${equal.slice(0, shownMax).join('; ')}${equal.length > shownMax ? `; and ${equal.length - shownMax} more` : ''}.`,
    'Ask whose they are, keep one of each, and delete the others by id: "DELETE /api/profiles/{id}" or "/api/groups/{id}".',
  );
};

const shownMax = 10;
const isShared = ({ length }: readonly unknown[]): boolean => length > 1;

const judgePort = async ({ host, port }: Config): Promise<Finding> => {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const url = `http://${reached}:${port}/health`;
  const at = `${host}:${port}`;
  let listener = await listenerAt(url);
  // The answer may have come while this process was held: other checks load their drivers, for seconds on a busy machine.
  if (listener === 'silent') listener = await listenerAt(url);
  switch (listener) {
    case 'nobody':
      return ok(`Nothing listens at ${at}; the service can start there.`);
    case 'portico':
      return ok(`A Portico answers at ${at}.`);
    case 'silent':
      return warning(`What listens at ${at} gave no answer within ${answerMs / 1_000} s.`, stopIt);
    case 'other':
      return warning(`Something that is no Portico listens at ${at}: the service cannot start there.`, stopIt);
  }
};

const stopIt = 'Stop it, or choose another PORT.';

/** Asks who listens there; to try to listen would take the port from a service that starts. */
const listenerAt = async (url: string): Promise<'nobody' | 'portico' | 'silent' | 'other'> => {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerMs) });
    return /^\{"status":"healthy","service":"/.test(await response.text()) ? 'portico' : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isNobody(error)) return 'nobody';
    return error.name === 'TimeoutError' ? 'silent' : 'other';
  }
};

const isNobody = ({ cause }: Error): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND'].includes(String(cause.code));
