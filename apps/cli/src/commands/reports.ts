import { systemActions, toIso, type Instant, type UsageGrouping } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { ResponseOf, Api, LineOf } from '../server/api.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import { toCsvLines } from './access.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

export interface UsageQuery {
  readonly by: UsageGrouping;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly profile?: string;
  readonly collection?: string;
}

type UsageLine = LineOf<'GET /api/usage'>;

type FieldName = keyof UsageLine;

/** The fields that identify the subject of a line. */
const subjectFields = {
  day: ['day'],
  profile: ['profile_email'],
  collection: ['collection_name'],
  operation: ['collection_name', 'method', 'path', 'operation_key'],
} as const satisfies Record<UsageGrouping, readonly FieldName[]>;

const allCounts = ['reads', 'searches', 'slices', 'calls', 'credential_reads', 'refused'] as const;
/** The counts that the tool shows in each line, in addition to its subject. */
const countNamesOf = (by: UsageGrouping): readonly (typeof allCounts)[number][] =>
  by === 'operation' ? ['slices', 'calls'] : allCounts;

/** Shows usage counts by profile, collection or day. */
export const showUsage = async (
  api: Api,
  terminal: Terminal,
  { from, to, ...query }: UsageQuery,
  csv: boolean,
): Promise<AllDone> => {
  const period = { from: from === undefined ? undefined : toIso(from), to: to === undefined ? undefined : toIso(to) };
  const usage = await api.call('GET /api/usage', { scope: 'usage:read', query: { ...query, ...period } });
  const [subjectNames, countNames] = [subjectFields[query.by], countNamesOf(query.by)];
  const names: readonly FieldName[] = [...subjectNames, ...countNames];
  const lines = usage.map((line) => pick(line, names));
  if (csv) terminal.printResult(lines, toCsvLines(names, lines));
  else if (lines.length === 0) terminal.printResult(lines, ['No usage found.']);
  else {
    // An earlier version of the server may not report every count.
    const rows = lines.map((line) => [
      ...subjectNames.map((name) => line[name] ?? (name === 'collection_name' ? '(no collection)' : '-')),
      ...countNames.map((name) => line[name] ?? '-'),
    ]);
    terminal.printResult(
      lines,
      formatColumns([[...headersOf(query.by), ...countNames.map((name) => name.replaceAll('_', ' '))], ...rows]),
    );
  }
  return true;
};

const headersOf = (by: UsageGrouping): readonly string[] =>
  by === 'operation' ? ['collection', 'method', 'path', 'operation key'] : [by];

export interface AuditQuery {
  /** `system`: changes; `client`: events that callers report themselves. */
  readonly source: 'system' | 'client';
  readonly actor?: string;
  readonly action?: string;
  readonly since?: Instant;
  readonly limit: number;
}

interface AuditLine {
  readonly timestamp: string;
  /**
   * An email address, or the name of a service account; null for the service itself, the operator and deleted actors.
   */
  readonly actor: string | null;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Shows audit entries, newest first. */
export const showAudit = async (api: Api, terminal: Terminal, query: AuditQuery): Promise<AllDone> => {
  const { source, action } = query;
  if (source === 'system' && action !== undefined && !isKnown(action))
    throw new OperatorError(
      `the service does not record ${action}. It records ${systemActions.join(', ')}; for actions that callers report, pass --source client`,
      exitCodes.usage,
    );
  const lines = (await fetchEntries(api, query)).map(({ timestamp, message, actor: name = null }): AuditLine => {
    // The actor in a message is trusted only if the service itself wrote the entry.
    const systemActor = typeof message['actor'] === 'string' ? message['actor'] : null;
    return { timestamp, actor: source === 'system' ? systemActor : name, message };
  });
  terminal.printResult(lines, lines.length > 0 ? formatColumns(lines.map(toAuditRow)) : ['No entries.']);
  return true;
};

const isKnown = (action: string): boolean => (systemActions as readonly string[]).includes(action);

const auditPageSize = 100;

const fetchEntries = async (
  api: Api,
  { source, actor, action, since, limit }: AuditQuery,
): Promise<ResponseOf<'GET /api/audit/'>['data']> => {
  const from = since === undefined ? undefined : toIso(since);
  const entries: ResponseOf<'GET /api/audit/'>['data'] = [];
  for (let page = 1; entries.length < limit; page++) {
    const query = { source, actor, action, from, include: 'names', page, pageSize: auditPageSize };
    const { data } = await api.call('GET /api/audit/', { scope: 'audit:read', query });
    entries.push(...data);
    if (data.length < auditPageSize) break;
  }
  return entries.slice(0, limit);
};

const toAuditRow = ({ timestamp, actor, message }: AuditLine): readonly string[] => {
  const details = Object.entries(message).filter(
    ([name]) => !['action', 'actor'].includes(name) && !/(^|_)id$/.test(name),
  );
  return [
    timestamp,
    actor ?? '-',
    typeof message['action'] === 'string' ? message['action'] : '-',
    details.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' '),
  ];
};
