import { Alert, Progress as Bar } from '@mantine/core';
import { words } from '../../words/words.ts';
import type { Outcome, Progress } from './use-batches.ts';
import styles from './people.module.css';

const text = words.people.bulk;

/** The progress of a bulk action, then its outcomes: failures first, since they need attention. */
export const Outcomes = ({
  progress,
  dismiss,
}: {
  readonly progress: Progress | null;
  readonly dismiss: () => void;
}) => {
  if (!progress) return <div role="status" />;
  const { total, outcomes, isRunning, done } = progress;
  const refused = outcomes.filter(({ isDone }) => !isDone);
  if (isRunning)
    return (
      <div role="status" className={styles.outcome}>
        <p>{text.progress(outcomes.length, total)}</p>
        <Bar value={(100 * outcomes.length) / total} aria-label={text.outcomes} />
      </div>
    );
  return (
    <Alert
      role="status"
      className={styles.outcome}
      color={refused.length > 0 ? 'yellow' : 'green'}
      withCloseButton
      closeButtonLabel={text.dismiss}
      onClose={dismiss}
    >
      <p>{text.summary(done(outcomes.length - refused.length), refused.length)}</p>
      {refused.length > 0 ? <Each outcomes={refused} /> : null}
      {outcomes.length > refused.length && outcomes.length > 1 ? (
        <details>
          <summary>{text.details}</summary>
          <Each outcomes={outcomes.filter(({ isDone }) => isDone)} />
        </details>
      ) : null}
    </Alert>
  );
};

const Each = ({ outcomes }: { readonly outcomes: readonly Outcome[] }) => (
  <ul tabIndex={0} aria-label={text.outcomes}>
    {outcomes.map(({ name, result }, at) => (
      <li key={at}>{text.outcomeOf(name, result)}</li>
    ))}
  </ul>
);
