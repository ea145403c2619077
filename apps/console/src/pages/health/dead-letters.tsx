import { Anchor, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import styles from './health.module.css';

const text = words.health;

type DeadLetter = CallResult<'GET /api/jobs/dead'>[number];

const affectedReads = ['GET /api/jobs/dead', 'GET /api/jobs', 'GET /api/vector/reindex'] as const;

/** Lists the jobs that failed too often, so that they can be retried once the cause is fixed, or discarded. */
export const DeadLetters = () => {
  const pages = usePages('GET /api/jobs/dead', {});
  return (
    <section aria-labelledby="dead" className={styles.section}>
      <div className={styles.head}>
        <h2 id="dead">{text.deadLetters}</h2>
        {pages.rows.some(({ retryable }) => retryable) ? <RetryAll /> : null}
      </div>
      <DataTable label={text.deadLetters} columns={columns} pages={pages} keyOf={({ id }) => id} empty={text.noDead} />
    </section>
  );
};

const kindOf = ({ kind }: DeadLetter): string => text.kinds[kind] ?? kind;
const nameOf = ({ profile_email: email, collection_name: name }: DeadLetter): string => email ?? name ?? text.deleted;
const titleOf = (job: DeadLetter): string => `${kindOf(job)}, ${nameOf(job)}`;

const columns: readonly Column<DeadLetter>[] = [
  { header: text.kind, cell: kindOf },
  { header: text.about, cell: (job) => <About job={job} /> },
  { header: text.attempts, cell: ({ attempts }) => words.formats.number(attempts) },
  { header: text.error, cell: (job) => <Failure job={job} /> },
  { header: text.failedAt, cell: ({ given_up_at: at }) => <Moment at={at} /> },
  { header: text.actions, headerHidden: true, cell: (job) => <Actions job={job} /> },
];

const About = ({ job }: { readonly job: DeadLetter }) => {
  const { profile_email: email, collection_name: name, collection_id: id } = job;
  if (email)
    return (
      <Anchor inherit component={Link} to={`/people/${encodeURIComponent(email)}`}>
        {email}
      </Anchor>
    );
  if (name && id)
    return (
      <Anchor inherit component={Link} to={`/apis/${encodeURIComponent(id)}`}>
        {name}
      </Anchor>
    );
  return nameOf(job);
};

/** The error and, if the job cannot be retried, what to do instead. */
const Failure = ({ job: { error, retryable, profile_email: email } }: { readonly job: DeadLetter }) => (
  <>
    {error}
    {retryable ? null : (
      <p className={styles.quiet}>
        {text.secretRemoved}{' '}
        {email ? (
          <>
            <Anchor inherit underline="always" component={Link} to={`/people/${encodeURIComponent(email)}`}>
              {text.issueCredentials}
            </Anchor>
            {text.thenDiscard}
          </>
        ) : null}
      </p>
    )}
  </>
);

const Actions = ({ job }: { readonly job: DeadLetter }) => {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const retry = useChange('POST /api/jobs/dead/:job_id/retry', { invalidates: affectedReads });
  const discard = useChange('DELETE /api/jobs/dead/:job_id', { invalidates: affectedReads });
  const input = { params: { job_id: job.id } };
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        {job.retryable ? (
          <Button
            variant="default"
            size="xs"
            aria-label={text.retryOf(titleOf(job))}
            loading={retry.isPending}
            onClick={() => retry.mutate(input, { onSuccess: () => notify(text.jobRetried) })}
          >
            {text.retry}
          </Button>
        ) : null}
        <Button
          variant="outline"
          color="red"
          size="xs"
          aria-label={text.discardOf(titleOf(job))}
          onClick={() => setIsDialogOpen(true)}
        >
          {text.discard}
        </Button>
      </Group>
      <ErrorNote error={retry.error} />
      <Dialog
        title={text.discardTitle}
        open={isDialogOpen}
        close={() => setIsDialogOpen(false)}
        submit={() => discard.mutate(input, { onSuccess: () => notify(text.discarded) })}
        submitLabel={text.discard}
        destructive
        busy={discard.isPending}
        error={discard.error}
      >
        <p>{text.discardConfirm(titleOf(job))}</p>
      </Dialog>
    </>
  );
};

const RetryAll = () => {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const retry = useChange('POST /api/jobs/dead/retry', { invalidates: affectedReads });
  const submit = (): void =>
    retry.mutate(
      { body: {} },
      {
        onSuccess: ({ requeued, left }) => {
          setIsDialogOpen(false);
          notify(text.retried(requeued, left));
        },
      },
    );
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsDialogOpen(true)}>
        {text.retryAll}
      </Button>
      <Dialog
        title={text.retryAll}
        open={isDialogOpen}
        close={() => setIsDialogOpen(false)}
        submit={submit}
        submitLabel={text.retryAll}
        busy={retry.isPending}
        error={retry.error}
      >
        <p>{text.retryAllConfirm}</p>
      </Dialog>
    </>
  );
};
