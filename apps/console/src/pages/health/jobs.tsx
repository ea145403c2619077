import { Alert } from '@mantine/core';
import type { CallResult } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import { refreshMs } from './health-reads.ts';
import styles from './health.module.css';

const text = words.health;

type JobRow = CallResult<'GET /api/jobs'>['kinds'][number];

/** The background jobs by kind and state. */
export const Jobs = () => {
  const read = useRead('GET /api/jobs', {}, { refetchInterval: refreshMs });
  return (
    <section aria-labelledby="jobs" className={styles.section}>
      <h2 id="jobs">{text.jobs}</h2>
      {read.data?.seems_stopped ? (
        <Alert color="red" role="alert" mb="sm">
          {text.seemsStopped(Math.floor(read.data.oldest_due_seconds / 60))}
        </Alert>
      ) : null}
      <DataTable
        label={text.jobs}
        columns={columns}
        pages={toSinglePage({ ...read, data: read.data && rowsOf(read.data) })}
        keyOf={({ kind }) => kind}
        empty={text.noJobs}
      />
    </section>
  );
};

const states = ['waiting', 'running', 'retrying', 'dead'] as const;

/** Returns a row for each kind, followed by a row with the totals. */
const rowsOf = ({ kinds, ...totals }: CallResult<'GET /api/jobs'>): readonly JobRow[] =>
  kinds.length === 0 ? [] : [...kinds, { ...totals, kind: '' }];

const columns: readonly Column<JobRow>[] = [
  { header: text.kind, cell: ({ kind }) => (kind === '' ? text.total : (text.kinds[kind] ?? kind)) },
  ...states.map((state) => ({ header: text[state], cell: (row: JobRow) => words.formats.number(row[state]) })),
  { header: text.nextRetry, cell: ({ next_retry_at: at }) => (at ? <Moment at={at} /> : null) },
  { header: text.oldest, cell: ({ oldest_due_at: at }) => (at ? <Moment at={at} /> : null) },
];
