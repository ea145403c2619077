import { systemActions, toIso, type Instant, type UsageGrouping } from '@portico/domain';
import { columns } from '../columns.ts';
import type { ResponseOf, Api, LineOf } from '../server/api.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import { csvLines } from './access.ts';
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

const subjectOf = { day: 'day', profile: 'profile_email', collection: 'collection_name' } as const;
/** The counts that the tool shows in each line, in addition to its subject. */
const countNames = [
  'reads',
  'searches',
  'slices',
  'credential_reads',
  'refused',
] as const satisfies (keyof UsageLine)[];

/** Shows usage counts by profile, collection or day. */
export const showUsage = async (
  api: Api,
  terminal: Terminal,
  { from, to, ...query }: UsageQuery,
  csv: boolean,
): Promise<AllDone> => {
  const times = { from: from === undefined ? undefined : toIso(from), to: to === undefined ? undefined : toIso(to) };
  const usage = await api.call('GET /api/usage', { scope: 'usage:read', query: { ...query, ...times } });
  const subject = subjectOf[query.by];
  const names = [subject, ...countNames];
  const lines = usage.map((line) => pick(line, names));
  if (csv) terminal.result(lines, csvLines(names, lines));
  else if (lines.length === 0) terminal.result(lines, ['Nothing was used.']);
  else {
    // An earlier version of the server may not report every count.
    const rows = lines.map((line) => [
      line[subject] ?? '(no collection)',
      ...countNames.map((name) => line[name] ?? '-'),
    ]);
    terminal.result(lines, columns([[query.by, ...countNames.map((name) => name.replaceAll('_', ' '))], ...rows]));
  }
  return true;
};

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
      `the service does not record ${action}. Its actions are ${systemActions.join(', ')}; those that callers report: --source client`,
      exitCodes.usage,
    );
  const lines = (await entriesOf(api, query)).map(({ timestamp, message, actor: name = null }): AuditLine => {
    // The actor in a message is trusted only if the service itself wrote the entry.
    const systemActor = typeof message['actor'] === 'string' ? message['actor'] : null;
    return { timestamp, actor: source === 'system' ? systemActor : name, message };
  });
  terminal.result(lines, lines.length > 0 ? columns(lines.map(auditRow)) : ['No entry.']);
  return true;
};

const isKnown = (action: string): boolean => (systemActions as readonly string[]).includes(action);

const auditPage = 100;

const entriesOf = async (
  api: Api,
  { source, actor, action, since, limit }: AuditQuery,
): Promise<ResponseOf<'GET /api/audit/'>['data']> => {
  const from = since === undefined ? undefined : toIso(since);
  const entries: ResponseOf<'GET /api/audit/'>['data'] = [];
  for (let page = 1; entries.length < limit; page++) {
    const query = { source, actor, action, from, include: 'names', page, pageSize: auditPage };
    const { data } = await api.call('GET /api/audit/', { scope: 'audit:read', query });
    entries.push(...data);
    if (data.length < auditPage) break;
  }
  return entries.slice(0, limit);
};

const auditRow = ({ timestamp, actor, message }: AuditLine): readonly string[] => {
  const facts = Object.entries(message).filter(
    ([name]) => !['action', 'actor'].includes(name) && !/(^|_)id$/.test(name),
  );
  return [
    timestamp,
    actor ?? '-',
    typeof message['action'] === 'string' ? message['action'] : '-',
    facts.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' '),
  ];
};
