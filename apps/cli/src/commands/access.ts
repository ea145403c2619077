import { csvText, type Instant } from '@portico/domain';
import type { AccessFilter, AccessLine, Administration, PairOutcome, Pairs } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import { shownEnd } from '../last-day.ts';
import type { Terminal } from '../terminal.ts';
import { tellOutcomes, type AllDone, type Told } from './outcomes.ts';

export const grantPairs = async (
  { grant }: Administration,
  terminal: Terminal,
  pairs: Pairs,
  until: Instant | null | undefined,
): Promise<AllDone> => tellPairs(terminal, await grant(pairs, until));

export const revokePairs = async ({ revoke }: Administration, terminal: Terminal, pairs: Pairs): Promise<AllDone> =>
  tellPairs(terminal, await revoke(pairs));

const tellPairs = (terminal: Terminal, outcomes: readonly PairOutcome[]): Promise<AllDone> =>
  tellOutcomes(terminal, [outcomes as readonly (PairOutcome & Told)[]], (one) => {
    const grantee = one.email ?? `group ${one.group_name ?? ''}`;
    const until = one.expires_at === null ? '' : `  until ${shownEnd(one.expires_at)}`;
    return `${grantee}  ${one.collection_name}${until}${one.reason === undefined ? '' : `: ${one.reason}`}`;
  });

/** Shows who may what, how, and until when. */
export const showAccess = async (
  { access }: Administration,
  terminal: Terminal,
  filter: AccessFilter,
  csv: boolean,
): Promise<AllDone> => {
  const lines = await access(filter);
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
] as const satisfies (keyof AccessLine)[];

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
