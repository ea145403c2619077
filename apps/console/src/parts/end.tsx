import { words } from '../words/words.ts';
import { endInWords, lastDayOf } from './last-day.ts';
import { StatusBadge } from './status-badge.tsx';

const text = words.frame.end;

/** When a right ends; one that has ended is marked. */
export const End = ({ at }: { readonly at: string | null | undefined }) => {
  if (!at) return <span>{text.none}</span>;
  return (
    <>
      <time dateTime={at} title={lastDayOf(at) === null ? undefined : text.wholeDay} style={{ whiteSpace: 'nowrap' }}>
        {endInWords(at)}
      </time>{' '}
      {Date.parse(at) <= Date.now() ? <StatusBadge kind="quiet">{text.passed}</StatusBadge> : null}
    </>
  );
};
