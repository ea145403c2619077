import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import { DeadLetters } from './dead-letters.tsx';
import { refreshMs, allowUnavailable } from './health-reads.ts';
import styles from './health.module.css';
import { Jobs } from './jobs.tsx';
import { Reindex } from './reindex.tsx';

const text = words.health;

/** The health of the service, and what to do about problems. */
export const Component = () => {
  const config = useRead('GET /console/config.json', {});
  return (
    <Page title={text.title} actions={config.data ? <span>{text.version(config.data.version)}</span> : null}>
      <Service />
      <Search />
      <Jobs />
      <DeadLetters />
      <Reindex />
    </Page>
  );
};

const kinds = { ready: 'good', 'not ready': 'bad', draining: 'waiting' } as const;

const Service = () => {
  const read = useRead('GET /ready', allowUnavailable, { refetchInterval: refreshMs });
  const { status, checks = {}, operations } = read.data ?? {};
  return (
    <section aria-labelledby="service" className={styles.section}>
      <div className={styles.head}>
        <h2 id="service">{text.service}</h2>
        <span role="status">
          {status ? <StatusBadge kind={kinds[status]}>{text.states[status]}</StatusBadge> : null}
        </span>
      </div>
      {read.isPending ? <Loading /> : null}
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {read.data ? (
        <DataTable
          label={text.service}
          columns={columns}
          pages={toSinglePage({ ...read, data: Object.entries(checks).map(([name, check]) => ({ name, ...check })) })}
          keyOf={({ name }) => name}
          empty={text.unknownReason}
        />
      ) : null}
      {operations ? (
        <p>
          {text.operations}: {text.progress(operations.done, operations.total)}
          {operations.failed > 0 ? `; ${text.failed(operations.failed)}` : null}
        </p>
      ) : null}
    </section>
  );
};

interface Check {
  readonly name: string;
  readonly status: 'ok' | 'unavailable';
  readonly essential: boolean;
  readonly reason?: string | undefined;
}

const columns: readonly Column<Check>[] = [
  { header: text.component, cell: ({ name }) => name },
  { header: text.state, cell: ({ status }) => <HealthBadge isHealthy={status === 'ok'} /> },
  { header: text.requirement, cell: ({ essential }) => (essential ? text.essential : text.optional) },
  { header: text.reason, cell: ({ status, reason }) => (status === 'ok' ? '' : (reason ?? text.unknownReason)) },
];

const Search = () => {
  const read = useRead('GET /api/vector/health', allowUnavailable, { refetchInterval: refreshMs });
  const { embedder, index } = read.data ?? {};
  return (
    <section aria-labelledby="search" className={styles.section}>
      <h2 id="search">{text.search}</h2>
      {read.isPending ? <Loading /> : null}
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {embedder && index ? (
        <ul className={styles.list}>
          <li>
            {text.embedder(embedder.model)} <HealthBadge isHealthy={embedder.status === 'healthy'} /> {embedder.reason}
          </li>
          <li>
            {text.index(index.kind)} <HealthBadge isHealthy={index.status === 'healthy'} /> {index.reason}
          </li>
        </ul>
      ) : null}
    </section>
  );
};

const HealthBadge = ({ isHealthy }: { readonly isHealthy: boolean }) => (
  <StatusBadge kind={isHealthy ? 'good' : 'bad'}>{isHealthy ? text.working : text.unavailable}</StatusBadge>
);
