import { useTotal } from '../../api/use-call.ts';
import { words } from '../../words/words.ts';
import styles from './people.module.css';

const minuteMs = 60_000;

/** The number of people waiting for approval; nothing if there are none. */
export const WaitingNote = () => {
  const pendingCount = useTotal(
    'GET /api/profiles/',
    { query: { registration_status: 'pending' } },
    { refetchInterval: minuteMs },
  );
  if (!pendingCount) return null;
  return <span className={styles.note}>{words.people.waiting(pendingCount)}</span>;
};
