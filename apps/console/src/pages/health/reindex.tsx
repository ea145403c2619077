import { Button, Progress } from '@mantine/core';
import { useState } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { refreshMs } from './health-reads.ts';
import styles from './health.module.css';

const text = words.health;

const runningMs = 2_000;

/** Shows the state of the last rebuild of the search index, and a button to start a new one. */
export const Reindex = () => {
  const read = useRead(
    'GET /api/vector/reindex',
    {},
    {
      refetchInterval: (latest) => (latest?.status === 'running' || latest?.model_change ? runningMs : refreshMs),
    },
  );
  const run = read.data;
  const change = run?.model_change;
  return (
    <section aria-labelledby="reindex" className={styles.section}>
      <div className={styles.head}>
        <h2 id="reindex">{text.reindex}</h2>
        {run && run.status !== 'running' ? <StartButton /> : null}
      </div>
      {read.isPending ? <Loading /> : null}
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {run?.status === 'none' ? <p>{text.reindexNever}</p> : null}
      {run?.status === 'done' ? (
        <p role="status">
          {text.reindexDone(run.done)} <Moment at={run.started_at} />
          {run.failed > 0 ? ` ${text.failed(run.failed)}` : null}
        </p>
      ) : null}
      {run?.status === 'running' ? <Bar name={text.reindexRunning} progress={run} /> : null}
      {change ? (
        <>
          <h3>{text.modelChange}</h3>
          <p>{text.modelChangeFrom(change.from, change.to)}</p>
          <Bar name={text.modelChange} progress={change} />
        </>
      ) : null}
    </section>
  );
};

const Bar = ({
  name,
  progress: { done, failed, total },
}: {
  readonly name: string;
  readonly progress: { readonly done: number; readonly failed: number; readonly total: number };
}) => (
  <>
    <p>
      {name}: {text.progress(done, total)}
      {failed > 0 ? `; ${text.failed(failed)}` : null}
    </p>
    <Progress value={total === 0 ? 100 : ((done + failed) / total) * 100} aria-label={name} />
  </>
);

const StartButton = () => {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const start = useChange('POST /api/vector/reindex', { invalidates: ['GET /api/vector/reindex', 'GET /api/jobs'] });
  const submit = (): void =>
    start.mutate(
      {},
      {
        onSuccess: () => {
          setIsDialogOpen(false);
          notify(text.reindexStarted);
        },
      },
    );
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsDialogOpen(true)}>
        {text.reindexStart}
      </Button>
      <Dialog
        title={text.reindex}
        open={isDialogOpen}
        close={() => setIsDialogOpen(false)}
        submit={submit}
        submitLabel={text.reindexStart}
        busy={start.isPending}
        error={start.error}
      >
        <p>{text.reindexConfirm}</p>
      </Dialog>
    </>
  );
};
