/** The range of days: a number of recent days, or from one date to another, both inclusive. Days are in UTC. */
export type UsageRange =
  | { readonly kind: 'last'; readonly days: Days }
  | { readonly kind: 'dates'; readonly from: string; readonly to: string };

export type Days = (typeof daysChoices)[number];

export const daysChoices = [7, 30, 90] as const;
const daysDefault: Days = 30;
const dayMs = 86_400_000;
/** The service stores counts for 400 days. */
const shownMax = 400;

/** Reads the range from the URL; anything invalid is replaced by the default. */
export const rangeOf = (search: URLSearchParams): UsageRange => {
  const [from, to] = [search.get('from') ?? '', search.get('to') ?? ''];
  if (isDate(from) || isDate(to)) return { kind: 'dates', from: isDate(from) ? from : '', to: isDate(to) ? to : '' };
  return { kind: 'last', days: daysChoices.find((days) => String(days) === search.get('days')) ?? daysDefault };
};

/** Returns the bounds to send to the service; `to` is exclusive. */
export const boundsOf = (range: UsageRange, now: number): { readonly from?: string; readonly to?: string } => {
  if (range.kind === 'last') return { from: dateOf(now - (range.days - 1) * dayMs) };
  return {
    ...(range.from === '' ? {} : { from: range.from }),
    ...(range.to === '' ? {} : { to: dateOf(Date.parse(range.to) + dayMs) }),
  };
};

/** Returns every day of the range, including days without usage, so that a chart has no gaps. */
export const daysOf = (range: UsageRange, now: number): readonly string[] => {
  const end = Date.parse(range.kind === 'dates' && range.to !== '' ? range.to : dateOf(now));
  const { from = dateOf(end - daysDefault * dayMs) } = boundsOf(range, now);
  const count = Math.min(shownMax, Math.max(0, Math.round((end - Date.parse(from)) / dayMs) + 1));
  return Array.from({ length: count }, (_, index) => dateOf(end - (count - 1 - index) * dayMs));
};

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

const dateOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
