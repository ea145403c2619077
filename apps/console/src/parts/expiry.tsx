import { words } from '../words/words.ts';
import { formatExpiry, lastDayOf } from './last-day.ts';
import { StatusBadge } from './status-badge.tsx';

const text = words.frame.expiry;

/** Shows an expiry, and marks one that has passed. */
export const Expiry = ({ at }: { readonly at: string | null | undefined }) => {
  if (!at) return <span>{text.none}</span>;
  return (
    <>
      <time
        dateTime={at}
        title={lastDayOf(at) === null ? undefined : text.lastDayHint}
        style={{ whiteSpace: 'nowrap' }}
      >
        {formatExpiry(at)}
      </time>{' '}
      {Date.parse(at) <= Date.now() ? <StatusBadge kind="quiet">{text.expired}</StatusBadge> : null}
    </>
  );
};
