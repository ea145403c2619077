import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../api/call.ts';
import { Loading } from '../../parts/loading.tsx';
import { words } from '../../words/words.ts';
import { useBatches, type BulkAction, type Outcome } from './use-batches.ts';
import { IssuedKeyDialog, type IssuedKey } from './issued-key.tsx';
import { ApproveDialog, ReasonDialog, TierDialog } from './bulk-dialogs.tsx';
import { Outcomes } from './outcomes.tsx';
import type { Person } from './listed-person.ts';
import styles from './people.module.css';

const text = words.people;

/** The group picker is large and rarely needed on this page. */
const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }));

/** The maximum number of people that the service approves in one call. */
const approvalBatchMax = 50;

type DialogName = 'approve' | 'reject' | 'suspend' | 'tier' | 'group' | null;

/** The bulk actions on the selected people: decisions about pending people, and changes to approved people. */
export const BulkActions = ({
  status,
  people,
  isEmpty,
  clear,
}: {
  readonly status: 'pending' | 'approved';
  readonly people: readonly Person[];
  /** Whether the list is empty. */
  readonly isEmpty: boolean;
  readonly clear: () => void;
}) => {
  const { progress, run, dismiss } = useBatches(['GET /api/profiles/', 'GET /api/groups']);
  const [dialog, setDialog] = useState<DialogName>(null);
  const [issuedKey, setIssuedKey] = useState<IssuedKey | null>(null);
  const busy = progress?.isRunning ?? false;
  const runAction = (action: BulkAction<Person>): void => {
    setDialog(null);
    void run(people, action).then(clear);
  };
  const approve = (): void => runAction(createApproval((key) => people.length === 1 && setIssuedKey(key)));
  const close = () => setDialog(null);
  const renderButton = (label: string, onClick: () => void) => (
    <Button variant="default" disabled={busy || people.length === 0} onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <>
      {isEmpty ? null : (
        <div className={styles.actions}>
          {status === 'pending' ? (
            <>
              <Button
                disabled={people.length === 0}
                loading={busy}
                onClick={() => (people.length > 1 ? setDialog('approve') : approve())}
              >
                {people.length === 0 ? text.bulk.approve : text.bulk.approveMany(people.length)}
              </Button>
              {renderButton(people.length === 0 ? text.bulk.reject : text.bulk.rejectMany(people.length), () =>
                setDialog('reject'),
              )}
            </>
          ) : (
            <>
              {renderButton(text.bulk.setTier, () => setDialog('tier'))}
              {renderButton(text.bulk.addToGroup, () => setDialog('group'))}
              {renderButton(text.bulk.suspend, () => setDialog('suspend'))}
            </>
          )}
          <SelectionNote count={people.length} clear={clear} />
        </div>
      )}
      <Outcomes progress={progress} dismiss={dismiss} />
      {dialog === 'approve' ? <ApproveDialog count={people.length} close={close} submit={approve} /> : null}
      {dialog === 'reject' || dialog === 'suspend' ? (
        <ReasonDialog kind={dialog} count={people.length} close={close} run={runAction} />
      ) : null}
      {dialog === 'tier' ? <TierDialog count={people.length} close={close} run={runAction} /> : null}
      {dialog === 'group' ? (
        <Suspense fallback={<Loading />}>
          <GroupDialog count={people.length} close={close} run={runAction} />
        </Suspense>
      ) : null}
      <IssuedKeyDialog issuedKey={issuedKey} close={() => setIssuedKey(null)} />
    </>
  );
};

const SelectionNote = ({ count, clear }: { readonly count: number; readonly clear: () => void }) =>
  count === 0 ? (
    <span className={styles.quiet}>{text.selectHint}</span>
  ) : (
    <>
      <span>{text.selected(count)}</span>
      <Button variant="subtle" onClick={clear}>
        {text.clear}
      </Button>
    </>
  );

/** Returns the action that approves people. Their new keys are passed only to `showKey`, one at a time. */
const createApproval = (showKey: (key: IssuedKey) => unknown): BulkAction<Person> => ({
  batchSize: approvalBatchMax,
  nameOf: ({ full_name: name }) => name,
  formatDone: text.bulk.approvedMany,
  send: async (batch) => {
    const names = new Map(batch.map(({ email, full_name: name }) => [email, name]));
    const body = { profiles: batch.map(({ email }) => email) };
    const { outcomes } = await call('POST /api/profiles/approve', { body });
    return outcomes.map(({ outcome, email, client_id: clientId, client_secret: secret }): Outcome => {
      const name = names.get(email) ?? email;
      if (clientId && secret) showKey({ name, clientId, secret, note: text.secret.approvedNote });
      return { name, isDone: outcome === 'approved', result: text.bulk.outcome[outcome] };
    });
  },
});
