import { toCsv, toIso, type Instant } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import { formatExpiry } from '../format-expiry.ts';
import type { ResponseOf, Api, LineOf } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import { reportOutcomes, type AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

/** Every combination of a person or group with a collection. */
export interface Pairs {
  readonly profiles: string[];
  readonly groups: string[];
  readonly collections: string[];
}

/** Grants access. If `until` is undefined, existing grants are left unchanged; null removes their expiry. */
export const grantPairs = async (
  api: Api,
  terminal: Terminal,
  pairs: Pairs,
  until: Instant | null | undefined,
): Promise<AllDone> => {
  const expiry = until === undefined ? {} : { expires_at: until === null ? null : toIso(until) };
  const call = { scope: 'access:write', body: { ...pairs, ...expiry } } as const;
  return reportPairs(terminal, await api.call('POST /api/access/grants', call));
};

export const revokePairs = async (api: Api, terminal: Terminal, pairs: Pairs): Promise<AllDone> =>
  reportPairs(terminal, await api.call('DELETE /api/access/grants', { scope: 'access:write', body: pairs }));

type Outcomes = ResponseOf<'POST /api/access/grants'>['outcomes'] | ResponseOf<'DELETE /api/access/grants'>['outcomes'];

const reportPairs = (terminal: Terminal, { outcomes }: { readonly outcomes: Outcomes }): Promise<AllDone> => {
  const lines = outcomes.map((outcome) =>
    pick(outcome, ['outcome', 'email', 'group_name', 'collection_name', 'expires_at', 'reason']),
  );
  return reportOutcomes(terminal, [lines], (line) => {
    const grantee = line.email ?? `group ${line.group_name ?? ''}`;
    const until = line.expires_at === null ? '' : `  until ${formatExpiry(line.expires_at)}`;
    return `${grantee}  ${line.collection_name}${until}${line.reason === undefined ? '' : `: ${line.reason}`}`;
  });
};

/** The filters of the access list. A line must match all filters that are set. */
export interface AccessFilter {
  readonly profile?: string;
  readonly group?: string;
  readonly collection?: string;
  readonly expiringBefore?: Instant;
}

type AccessLine = Pick<LineOf<'GET /api/access/matrix'>, (typeof accessColumns)[number]>;

/** Shows who has access to which collections, how, and until when. */
export const showAccess = async (
  api: Api,
  terminal: Terminal,
  { expiringBefore, ...names }: AccessFilter,
  csv: boolean,
): Promise<AllDone> => {
  const expiring_before = expiringBefore === undefined ? undefined : toIso(expiringBefore);
  const rows = await api.callAll('GET /api/access/matrix', {
    scope: 'access:read',
    query: { ...names, expiring_before, limit: 1_000 },
  });
  const lines = rows.map((line) => pick(line, accessColumns));
  if (csv) terminal.printResult(lines, toCsvLines(accessColumns, lines));
  else terminal.printResult(lines, lines.length > 0 ? formatColumns(lines.map(toAccessRow)) : ['No access found.']);
  return true;
};

const accessColumns = [
  'email',
  'full_name',
  'company_name',
  'registration_status',
  'suspended_at',
  'collection_name',
  'via',
  'group_name',
  'granted_at',
  'expires_at',
] as const satisfies (keyof LineOf<'GET /api/access/matrix'>)[];

const toAccessRow = (line: AccessLine): readonly string[] => [
  line.email,
  line.collection_name,
  line.group_name === null ? 'direct' : `group ${line.group_name}`,
  [
    line.expires_at === null ? '' : `until ${formatExpiry(line.expires_at)}`,
    line.suspended_at === null ? '' : '(suspended)',
    line.registration_status === 'approved' ? '' : `(${line.registration_status})`,
  ]
    .filter(Boolean)
    .join(' '),
];

/** Returns the lines of a CSV table (RFC 4180, except that the terminal adds the line endings). */
export const toCsvLines = <Line extends object>(
  names: readonly (keyof Line & string)[],
  lines: readonly Line[],
): readonly string[] =>
  toCsv(
    names,
    lines.map((line) => names.map((name) => (line[name] ?? null) as string | number | null)),
  )
    .split('\r\n')
    .slice(0, -1);
