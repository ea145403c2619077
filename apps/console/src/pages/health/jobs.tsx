import { Alert } from '@mantine/core';
import type { Answered } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import { refreshMs } from './health-reads.ts';
import styles from './health.module.css';

const text = words.health;

type Counts = Omit<Answered<'GET /api/jobs'>['kinds'][number], 'kind'>;

/** What the background has to do, by kind and state. */
export const Jobs = () => {
  const read = useRead('GET /api/jobs', {}, { refetchInterval: refreshMs });
  return (
    <section aria-labelledby="jobs" className={styles.section}>
      <h2 id="jobs">{text.jobs}</h2>
      {read.isPending ? <Loading /> : null}
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {read.data?.seems_stopped ? (
        <Alert color="red" role="alert" mb="sm">
          {text.seemsStopped(Math.floor(read.data.oldest_due_seconds / 60))}
        </Alert>
      ) : null}
      {read.data?.kinds.length === 0 ? <p>{text.noJobs}</p> : null}
      {read.data && read.data.kinds.length > 0 ? <JobTable jobs={read.data} /> : null}
    </section>
  );
};

const states = ['waiting', 'running', 'retrying', 'dead'] as const;

const JobTable = ({ jobs }: { readonly jobs: Answered<'GET /api/jobs'> }) => (
  <div className={styles.scroll} tabIndex={0} role="group" aria-label={text.jobs}>
    <table className={styles.table} aria-label={text.jobs}>
      <thead>
        <tr>
          <th scope="col">{text.kind}</th>
          {states.map((state) => (
            <th key={state} scope="col">
              {text[state]}
            </th>
          ))}
          <th scope="col">{text.nextRetry}</th>
          <th scope="col">{text.oldest}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.kinds.map(({ kind, ...counts }) => (
          <Row key={kind} name={text.kinds[kind] ?? kind} counts={counts} />
        ))}
        <Row name={text.total} counts={jobs} />
      </tbody>
    </table>
  </div>
);

const Row = ({ name, counts }: { readonly name: string; readonly counts: Counts }) => (
  <tr>
    <th scope="row">{name}</th>
    {states.map((state) => (
      <td key={state}>{counts[state].toLocaleString()}</td>
    ))}
    <td>{counts.next_retry_at ? <Moment at={counts.next_retry_at} /> : null}</td>
    <td>{counts.oldest_due_at ? <Moment at={counts.oldest_due_at} /> : null}</td>
  </tr>
);
