import { Alert, Progress as Bar } from '@mantine/core';
import { words } from '../../words/words.ts';
import type { Outcome, Progress } from './in-lots.ts';
import styles from './people.module.css';

const text = words.people.many;

/** How far an act on many is, then what became of each: the refused first, since somebody has to look at them. */
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
          <summary>{text.eachOfThem}</summary>
          <Each outcomes={outcomes.filter(({ isDone }) => isDone)} />
        </details>
      ) : null}
    </Alert>
  );
};

const Each = ({ outcomes }: { readonly outcomes: readonly Outcome[] }) => (
  <ul tabIndex={0} aria-label={text.outcomes}>
    {outcomes.map(({ name, what }, at) => (
      <li key={at}>{text.told(name, what)}</li>
    ))}
  </ul>
);
