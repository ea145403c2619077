/** The days that are shown: the last ones, or those between two dates, both included. All days are of UTC. */
export type UseRange =
  | { readonly kind: 'last'; readonly days: Days }
  | { readonly kind: 'dates'; readonly from: string; readonly to: string };

export type Days = (typeof daysChoices)[number];

export const daysChoices = [7, 30, 90] as const;
const daysDefault: Days = 30;
const dayMs = 86_400_000;
/** The service keeps counts for 400 days. */
const shownMax = 400;

/** What the address says; whatever it says that is no date or no choice is the default. */
export const rangeOf = (search: URLSearchParams): UseRange => {
  const [from, to] = [search.get('from') ?? '', search.get('to') ?? ''];
  if (isDate(from) || isDate(to)) return { kind: 'dates', from: isDate(from) ? from : '', to: isDate(to) ? to : '' };
  return { kind: 'last', days: daysChoices.find((days) => String(days) === search.get('days')) ?? daysDefault };
};

/** As the service takes it: `to` is the first day that is not counted. */
export const boundsOf = (range: UseRange, now: number): { readonly from?: string; readonly to?: string } => {
  if (range.kind === 'last') return { from: dateOf(now - (range.days - 1) * dayMs) };
  return {
    ...(range.from === '' ? {} : { from: range.from }),
    ...(range.to === '' ? {} : { to: dateOf(Date.parse(range.to) + dayMs) }),
  };
};

/** Every day from the first to the last, those without any use too, so that a chart has no gaps. */
export const everyDay = (range: UseRange, now: number): readonly string[] => {
  const end = Date.parse(range.kind === 'dates' && range.to !== '' ? range.to : dateOf(now));
  const { from = dateOf(end - daysDefault * dayMs) } = boundsOf(range, now);
  const count = Math.min(shownMax, Math.max(0, Math.round((end - Date.parse(from)) / dayMs) + 1));
  return Array.from({ length: count }, (_, at) => dateOf(end - (count - 1 - at) * dayMs));
};

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
