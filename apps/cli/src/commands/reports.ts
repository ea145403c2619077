import { systemActions } from '@portico/domain';
import type { Administration, AuditLine, AuditQuery, UsageLine, UsageQuery } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import { csvLines } from './access.ts';
import type { AllDone } from './outcomes.ts';

const countNames = ['reads', 'searches', 'slices', 'credential_reads', 'refused'] as const;

const subjectOf = { day: 'day', profile: 'profile_email', collection: 'collection_name' } as const;

/** Shows who used what, and how often. */
export const showUsage = async (
  { usage }: Administration,
  terminal: Terminal,
  query: UsageQuery,
  csv: boolean,
): Promise<AllDone> => {
  const lines = await usage(query);
  const names = [subjectOf[query.by], ...countNames];
  if (csv) terminal.result(lines, csvLines<UsageLine>(names, lines));
  else if (lines.length === 0) terminal.result(lines, ['Nothing was used.']);
  else {
    const rows = lines.map((line) => [
      line[subjectOf[query.by]] ?? '(no collection)',
      ...countNames.map((name) => line[name] ?? '-'),
    ]);
    terminal.result(
      lines,
      columns([[query.by, 'reads', 'searches', 'slices', 'credential reads', 'refused'], ...rows]),
    );
  }
  return true;
};

/** Shows who changed what, the newest first. */
export const showAudit = async ({ audit }: Administration, terminal: Terminal, query: AuditQuery): Promise<AllDone> => {
  const { source, action } = query;
  if (source === 'system' && action !== undefined && !isKnown(action))
    throw new OperatorError(
      `the service records nothing as ${action}. Its actions are ${systemActions.join(', ')}; those that callers report: --source client`,
      exitCodes.usage,
    );
  const lines = await audit(query);
  terminal.result(lines, lines.length > 0 ? columns(lines.map(auditRow)) : ['No entry.']);
  return true;
};

const isKnown = (action: string): boolean => (systemActions as readonly string[]).includes(action);

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
