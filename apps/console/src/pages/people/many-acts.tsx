import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../api/call.ts';
import { Loading } from '../../parts/loading.tsx';
import { words } from '../../words/words.ts';
import { useLots, type ManyAct, type Outcome } from './in-lots.ts';
import { IssuedKeyDialog, type IssuedKey } from './issued-key.tsx';
import { ApproveDialog, ReasonDialog, TierDialog } from './many-dialogs.tsx';
import { Outcomes } from './outcomes.tsx';
import type { Person } from './listed-person.ts';
import styles from './people.module.css';

const text = words.people;

/** What one searches groups with is large, and rarely needed on this page. */
const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }));

/** As many as the service approves at once. */
const approvedAtOnce = 50;

type Asking = 'approve' | 'reject' | 'suspend' | 'tier' | 'group' | null;

/** What can be done with those who are chosen: a decision about who waits, and what approved people get. */
export const ManyActs = ({
  status,
  people,
  nobody,
  clear,
}: {
  readonly status: 'pending' | 'approved';
  readonly people: readonly Person[];
  /** Whether there is nobody to choose. */
  readonly nobody: boolean;
  readonly clear: () => void;
}) => {
  const { progress, run, dismiss } = useLots(['GET /api/profiles/', 'GET /api/groups']);
  const [asking, setAsking] = useState<Asking>(null);
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const busy = progress?.isRunning ?? false;
  const act = (wanted: ManyAct<Person>): void => {
    setAsking(null);
    void run(people, wanted).then(clear);
  };
  const approve = (): void => act(approval((one) => people.length === 1 && setIssued(one)));
  const close = () => setAsking(null);
  const button = (label: string, onClick: () => void) => (
    <Button variant="default" disabled={busy || people.length === 0} onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <>
      {nobody ? null : (
        <div className={styles.acts}>
          {status === 'pending' ? (
            <>
              <Button
                disabled={people.length === 0}
                loading={busy}
                onClick={() => (people.length > 1 ? setAsking('approve') : approve())}
              >
                {people.length === 0 ? text.many.approve : text.many.approveMany(people.length)}
              </Button>
              {button(people.length === 0 ? text.many.reject : text.many.rejectMany(people.length), () =>
                setAsking('reject'),
              )}
            </>
          ) : (
            <>
              {button(text.many.setTier, () => setAsking('tier'))}
              {button(text.many.addToGroup, () => setAsking('group'))}
              {button(text.many.suspend, () => setAsking('suspend'))}
            </>
          )}
          <Chosen count={people.length} clear={clear} />
        </div>
      )}
      <Outcomes progress={progress} dismiss={dismiss} />
      {asking === 'approve' ? <ApproveDialog count={people.length} close={close} act={approve} /> : null}
      {asking === 'reject' || asking === 'suspend' ? (
        <ReasonDialog kind={asking} count={people.length} close={close} act={act} />
      ) : null}
      {asking === 'tier' ? <TierDialog count={people.length} close={close} act={act} /> : null}
      {asking === 'group' ? (
        <Suspense fallback={<Loading />}>
          <GroupDialog count={people.length} close={close} act={act} />
        </Suspense>
      ) : null}
      <IssuedKeyDialog issued={issued} close={() => setIssued(null)} />
    </>
  );
};

const Chosen = ({ count, clear }: { readonly count: number; readonly clear: () => void }) =>
  count === 0 ? (
    <span className={styles.quiet}>{text.choose}</span>
  ) : (
    <>
      <span>{text.chosen(count)}</span>
      <Button variant="subtle" onClick={clear}>
        {text.clear}
      </Button>
    </>
  );

/** Whoever is approved gets a key; it goes nowhere but to `issue`, one at a time. */
const approval = (issue: (key: IssuedKey) => unknown): ManyAct<Person> => ({
  lotSize: approvedAtOnce,
  nameOf: ({ full_name: name }) => name,
  done: text.many.approvedMany,
  send: async (lot) => {
    const names = new Map(lot.map(({ email, full_name: name }) => [email, name]));
    const body = { profiles: lot.map(({ email }) => email) };
    const { outcomes } = await call('POST /api/profiles/approve', { body });
    return outcomes.map(({ outcome, email, client_id: clientId, client_secret: secret }): Outcome => {
      const name = names.get(email) ?? email;
      if (clientId && secret) issue({ name, clientId, secret, note: text.secret.approvedOnce });
      return { name, isDone: outcome === 'approved', what: text.many.outcome[outcome] };
    });
  },
});
