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
  const { total, outcomes, isRunning, formatDone } = progress;
  const failedOutcomes = outcomes.filter(({ isDone }) => !isDone);
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
      color={failedOutcomes.length > 0 ? 'yellow' : 'green'}
      withCloseButton
      closeButtonLabel={text.dismiss}
      onClose={dismiss}
    >
      <p>{text.summary(formatDone(outcomes.length - failedOutcomes.length), failedOutcomes.length)}</p>
      {failedOutcomes.length > 0 ? <OutcomeList outcomes={failedOutcomes} /> : null}
      {outcomes.length > failedOutcomes.length && outcomes.length > 1 ? (
        <details>
          <summary>{text.details}</summary>
          <OutcomeList outcomes={outcomes.filter(({ isDone }) => isDone)} />
        </details>
      ) : null}
    </Alert>
  );
};

const OutcomeList = ({ outcomes }: { readonly outcomes: readonly Outcome[] }) => (
  <ul tabIndex={0} aria-label={text.outcomes}>
    {outcomes.map(({ name, result }, index) => (
      <li key={index}>{text.outcomeOf(name, result)}</li>
    ))}
  </ul>
);
