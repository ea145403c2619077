import { parseMoment, toIso } from '@portico/domain';

const dayMs = 86_400_000;

/** An end for people: its last day if it is the end of one in UTC, as it was given; else the moment. */
export const shownEnd = (end: string): string => {
  if (!end.endsWith('T00:00:00.000Z')) return end;
  const at = parseMoment(end);
  return at === null ? end : toIso(at - dayMs).slice(0, 'yyyy-mm-dd'.length);
};
