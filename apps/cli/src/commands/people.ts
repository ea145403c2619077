import { approvalsMax, toIso, type Instant } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { Api, LineOf } from '../server/api.ts';
import { ServerError } from '../server/server-error.ts';
import { formatCount, type Terminal } from '../terminal.ts';
import { outcomeFor, toPersonLine, reportOutcomes, type AllDone, type PersonOutcome } from './outcomes.ts';
import { pick } from './pick.ts';

type Person = LineOf<'GET /api/profiles/'>;

export interface PeopleOptions {
  readonly pending?: true;
  readonly suspended?: true;
  readonly admins?: true;
}

export const listPeople = async (api: Api, terminal: Terminal, options: PeopleOptions): Promise<AllDone> =>
  options.admins ? listAdmins(api, terminal) : listAll(api, terminal, options);

const personFields = [
  'email',
  'full_name',
  'company_name',
  'role',
  'registration_status',
  'tier',
  'suspended_at',
  'created_at',
] as const satisfies (keyof Person)[];

const listAll = async (api: Api, terminal: Terminal, { pending, suspended }: PeopleOptions): Promise<AllDone> => {
  const fetchPeople = (include: string) =>
    api.call('GET /api/profiles/', {
      scope: 'access:read',
      query: { include, registration_status: pending && 'pending', suspended },
    });
  // Tiers need a separate scope: a service account that lacks the scope lists people without their tiers.
  const profiles = await fetchPeople('tier,suspension').catch((error: unknown) => {
    if (error instanceof ServerError && error.detail === 'Scope required: limits:write')
      return fetchPeople('suspension');
    throw error;
  });
  const rows = profiles.map(({ email, full_name, company_name, role, tier, ...person }) => [
    email,
    statusOf(person),
    role === 'admin' ? 'admin' : (tier ?? ''),
    company_name === null ? full_name : `${full_name}, ${company_name}`,
  ]);
  const people = profiles.map((person) => pick(person, personFields));
  terminal.printResult(people, rows.length > 0 ? formatColumns(rows) : ['No people found.']);
  return true;
};

const statusOf = ({
  registration_status,
  suspended_at,
}: Pick<Person, 'registration_status' | 'suspended_at'>): string =>
  suspended_at ? `suspended ${suspended_at.slice(0, 10)}` : registration_status;

const adminFields = ['id', 'email', 'full_name', 'registration_status', 'bound'] as const satisfies (keyof Person)[];

const listAdmins = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const people = await api.call('GET /api/profiles/', { scope: 'access:read', query: { include: 'bound' } });
  const admins = people.filter(({ role }) => role === 'admin').map((person) => pick(person, adminFields));
  const lines = admins.map(
    ({ id, email, full_name, bound }) => `${id}  ${email}  ${full_name}${bound ? '' : '  (not bound yet)'}`,
  );
  terminal.printResult(admins, lines.length > 0 ? lines : ['There are no admins.']);
  return true;
};

/** Approves these people, or all pending ones. Each key is shown only once. */
export const approvePeople = async (
  api: Api,
  terminal: Terminal,
  emails: readonly string[] | 'all pending',
): Promise<AllDone> => {
  const recipients = emails === 'all pending' ? await fetchPendingEmails(api) : emails;
  let approvedCount = 0;
  const approveInBatches = async function* () {
    for (let start = 0; start < recipients.length; start += approvalsMax) {
      const profiles = recipients.slice(start, start + approvalsMax);
      const { outcomes } = await api.call('POST /api/profiles/approve', { scope: null, body: { profiles } });
      approvedCount += outcomes.filter(({ outcome }) => outcome === 'approved').length;
      yield outcomes.map((outcome) => pick(outcome, ['outcome', 'email', 'client_id', 'client_secret']));
    }
  };
  const isAllDone = await reportOutcomes(terminal, approveInBatches(), ({ email, client_id, client_secret }) =>
    client_secret === undefined ? email : `${email}  ${client_id}.${client_secret}`,
  );
  terminal.printNote(
    approvedCount > 0
      ? `${formatCount(approvedCount, 'registration')} approved. Each key is shown only this once, and mailed if mail is enabled.`
      : 'No one was approved.',
  );
  return isAllDone;
};

const fetchPendingEmails = async (api: Api): Promise<string[]> => {
  const query = { registration_status: 'pending' };
  return (await api.call('GET /api/profiles/', { scope: 'access:read', query })).map(({ email }) => email);
};

/** Runs the action for one person after another, and reports each outcome. */
export const forEachPerson = (
  terminal: Terminal,
  emails: readonly string[],
  outcome: string,
  action: (email: string) => Promise<unknown>,
): Promise<AllDone> => {
  const runForEach = async function* (): AsyncGenerator<readonly PersonOutcome[]> {
    for (const email of emails) yield [await outcomeFor(email, outcome, () => action(email.trim()))];
  };
  return reportOutcomes(terminal, runForEach(), toPersonLine);
};

export const suspendPeople = (
  api: Api,
  terminal: Terminal,
  emails: readonly string[],
  reason: string | undefined,
): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'suspended', (user_id) =>
    api.call('POST /api/profiles/:user_id/suspend', { scope: null, params: { user_id }, body: { reason } }),
  );

export const resumePeople = (api: Api, terminal: Terminal, emails: readonly string[]): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'resumed', (user_id) =>
    api.call('POST /api/profiles/:user_id/resume', { scope: null, params: { user_id } }),
  );

/** Rotates a person's key and prints only the new one, so that a script can read it. */
export const rotateKeyOf = async (
  api: Api,
  terminal: Terminal,
  email: string,
  grace_seconds: number,
): Promise<AllDone> => {
  const params = { user_id: email.trim() };
  const credentials = await api.call('POST /api/profiles/:user_id/credentials', {
    scope: null,
    params,
    body: { grace_seconds },
  });
  const { client_id, client_secret } = credentials;
  const previousSecretStatus = grace_seconds > 0 ? `is valid for ${grace_seconds} more seconds` : 'is no longer valid';
  terminal.printNote(
    `Replaced the secret of ${email}; the previous one ${previousSecretStatus}. The new key is shown only this once:`,
  );
  terminal.printResult({ email, client_id, client_secret }, [`${client_id}.${client_secret}`]);
  return true;
};

export const expireKeyOf = (api: Api, terminal: Terminal, email: string, expiresAt: Instant | null): Promise<AllDone> =>
  forEachPerson(terminal, [email], expiresAt === null ? 'never expires' : 'expires', (user_id) =>
    api.call('PUT /api/profiles/:user_id/credentials', {
      scope: null,
      params: { user_id },
      body: { expires_at: expiresAt === null ? null : toIso(expiresAt) },
    }),
  );
