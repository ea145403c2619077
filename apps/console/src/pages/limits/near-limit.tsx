import { Anchor, Progress } from '@mantine/core';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../people/section.tsx';
import styles from './limits.module.css';

const text = words.limits;
const refreshMs = 30_000;

type ClientNearLimit = CallResult<'GET /api/rate-limits/standing'>['clients'][number];

const columns: readonly Column<ClientNearLimit>[] = [
  {
    header: text.person,
    cell: ({ email, full_name: name }) => (
      <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
        {name}
      </Anchor>
    ),
  },
  {
    header: text.used,
    cell: ({ used, allowed_limit: allowed, full_name: name }) => (
      <div className={styles.bar}>
        <span>{text.usedOf(used, allowed)}</span>
        <Progress value={(100 * used) / allowed} color={used >= allowed ? 'red' : 'yellow'} aria-label={name} />
      </div>
    ),
  },
  {
    header: text.state,
    cell: ({ retry_after: seconds }) =>
      seconds > 0 ? (
        <StatusBadge kind="bad">{text.limitReached}</StatusBadge>
      ) : (
        <StatusBadge kind="waiting">{text.nearLimit}</StatusBadge>
      ),
  },
  { header: text.limit, cell: (row) => text.rule(row.allowed_limit, row.window_seconds) },
  {
    header: text.setBy,
    cell: ({ source, tier }) => (source === 'tier' ? text.sourceTier(tier ?? '') : text.source[source]),
  },
  { header: text.available, cell: ({ reset_seconds: seconds }) => text.inSeconds(seconds) },
];

/** The people closest to their limit, refreshed while the page is open. */
export const NearLimit = () => {
  const read = useRead('GET /api/rate-limits/standing', {}, { refetchInterval: refreshMs });
  const clients = read.data?.clients;
  return (
    <Section title={text.near}>
      {read.data?.scope === 'process' ? <p>{text.instanceOnly}</p> : null}
      <DataTable
        label={text.near}
        columns={columns}
        pages={toSinglePage({ ...read, data: clients })}
        keyOf={({ profile_id: id }) => id}
        empty={text.noneNear}
      />
      {read.data && clients ? <p>{text.nearCount(read.data.total, clients.length)}</p> : null}
    </Section>
  );
};
