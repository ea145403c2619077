import { words } from '../words/words.ts';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Shows a recent time relatively ("2 hours ago") and any other as a date, with the exact time on hover. */
export const Moment = ({
  at,
  none = words.frame.never,
}: {
  readonly at: string | null | undefined;
  readonly none?: string;
}) => {
  if (!at) return <span>{none}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={words.formats.minute(date)} style={{ whiteSpace: 'nowrap' }}>
      {format(date)}
    </time>
  );
};

const format = (date: Date): string => {
  const seconds = (date.getTime() - Date.now()) / 1_000;
  if (Math.abs(seconds) > 7 * 86_400) return words.formats.date(date);
  const [unit, length] = steps.find(([, step]) => Math.abs(seconds) >= step) ?? ['minute', 60];
  return words.formats.relative(Math.round(seconds / length), unit);
};
