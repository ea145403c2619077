import { csvText, toIso, type Instant } from '@portico/domain';
import { columns } from '../columns.ts';
import { shownEnd } from '../last-day.ts';
import type { Answered, Api, LineOf } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import { tellOutcomes, type AllDone } from './outcomes.ts';
import { picked } from './picked.ts';

/** Every one of the people and groups with every one of the collections. */
export interface Pairs {
  readonly profiles: string[];
  readonly groups: string[];
  readonly collections: string[];
}

/** `until` undefined leaves the grants that there are as they are, null takes their end away. */
export const grantPairs = async (
  api: Api,
  terminal: Terminal,
  pairs: Pairs,
  until: Instant | null | undefined,
): Promise<AllDone> => {
  const end = until === undefined ? {} : { expires_at: until === null ? null : toIso(until) };
  const call = { scope: 'access:write', body: { ...pairs, ...end } } as const;
  return tellPairs(terminal, await api.call('POST /api/access/grants', call));
};

export const revokePairs = async (api: Api, terminal: Terminal, pairs: Pairs): Promise<AllDone> =>
  tellPairs(terminal, await api.call('DELETE /api/access/grants', { scope: 'access:write', body: pairs }));

type Outcomes = Answered<'POST /api/access/grants'>['outcomes'] | Answered<'DELETE /api/access/grants'>['outcomes'];

const tellPairs = (terminal: Terminal, { outcomes }: { readonly outcomes: Outcomes }): Promise<AllDone> => {
  const lines = outcomes.map((one) =>
    picked(one, ['outcome', 'email', 'group_name', 'collection_name', 'expires_at', 'reason']),
  );
  return tellOutcomes(terminal, [lines], (one) => {
    const grantee = one.email ?? `group ${one.group_name ?? ''}`;
    const until = one.expires_at === null ? '' : `  until ${shownEnd(one.expires_at)}`;
    return `${grantee}  ${one.collection_name}${until}${one.reason === undefined ? '' : `: ${one.reason}`}`;
  });
};

/** Only what all that are given say. */
export interface AccessFilter {
  readonly profile?: string;
  readonly group?: string;
  readonly collection?: string;
  readonly expiringBefore?: Instant;
}

type AccessLine = Pick<LineOf<'GET /api/access/matrix'>, (typeof accessColumns)[number]>;

/** Shows who may what, how, and until when. */
export const showAccess = async (
  api: Api,
  terminal: Terminal,
  { expiringBefore, ...names }: AccessFilter,
  csv: boolean,
): Promise<AllDone> => {
  const expiring_before = expiringBefore === undefined ? undefined : toIso(expiringBefore);
  const found = await api.callAll('GET /api/access/matrix', {
    scope: 'access:read',
    query: { ...names, expiring_before, limit: 1_000 },
  });
  const lines = found.map((line) => picked(line, accessColumns));
  if (csv) terminal.result(lines, csvLines(accessColumns, lines));
  else terminal.result(lines, lines.length > 0 ? columns(lines.map(accessRow)) : ['Nobody.']);
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

const accessRow = (line: AccessLine): readonly string[] => [
  line.email,
  line.collection_name,
  line.group_name === null ? 'direct' : `group ${line.group_name}`,
  [
    line.expires_at === null ? '' : `until ${shownEnd(line.expires_at)}`,
    line.suspended_at === null ? '' : '(suspended)',
    line.registration_status === 'approved' ? '' : `(${line.registration_status})`,
  ]
    .filter(Boolean)
    .join(' '),
];

/** The lines of a CSV table (RFC 4180, but for the line ends, which are those of the terminal). */
export const csvLines = <Line extends object>(
  names: readonly (keyof Line & string)[],
  lines: readonly Line[],
): readonly string[] =>
  csvText(
    names,
    lines.map((line) => names.map((name) => (line[name] ?? null) as string | number | null)),
  )
    .split('\r\n')
    .slice(0, -1);
