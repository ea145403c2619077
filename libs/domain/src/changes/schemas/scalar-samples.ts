import { ExactNumber, type Json } from '../../json.ts';
import { compareNumbers, toNumber } from '../../operations/numbers.ts';
import type { Bound, Form } from './form.ts';
import { formatSamples, sampleOfFormat } from './formats.ts';
import { lengthOf, valueKeyOf } from './json-value.ts';
import { samplesOfPattern } from './pattern-samples.ts';

/** The longest text that is created, in characters. */
const textMax = 100_000;

/** Returns numbers at and around the limits of these sets, and some plain ones. */
export const numbersNear = (...forms: readonly Form[]): readonly Json[] => {
  const bounds = forms.flatMap(({ min, max }) => [min, max]).filter((bound): bound is Bound => bound !== null);
  const exact = bounds.map(({ value }) => value);
  const limits = exact.map(toNumber);
  const steps = forms.flatMap(({ multiples }) => multiples.map(toNumber));
  const near = limits.flatMap((limit) => [
    limit - 1,
    limit + 1,
    limit - 0.5,
    limit + 0.5,
    limit - 0.001,
    limit + 0.001,
  ]);
  const multiples = steps.flatMap((step) => [
    ...[1, 2, 3, 5, 7].flatMap((factor) => [step * factor, -step * factor]),
    step / 2,
    step * 1.5,
    step + 1,
    ...limits.flatMap((limit) => [-1, 0, 1, 2].map((offset) => (Math.floor(limit / step) + offset) * step)),
  ]);
  const middles = limits.flatMap((limit) => limits.map((other) => (limit + other) / 2));
  const large = [2 ** 31, -(2 ** 31) - 1, 1e12, -1e12];
  const values = [0, 1, ...exact, ...near, ...multiples, ...middles, 2, 3, -1, 0.5, 1.5, 10, 100, 1_000, ...large];
  return unique(
    values.filter((value) => value instanceof ExactNumber || Number.isFinite(value)).map(withoutNegativeZero),
  );
};

const withoutNegativeZero = (value: number | ExactNumber): Json => (value === 0 ? 0 : value);

/**
 * Returns texts with lengths at and around the limits of these sets, with their patterns and formats, and plain ones.
 */
export const textsNear = (...forms: readonly Form[]): readonly Json[] => {
  const lengths = forms
    .flatMap(({ minLength, maxLength }) => [minLength, minLength - 1, maxLength, maxLength + 1])
    .filter((length) => length >= 0 && length <= textMax);
  const special = [
    ...forms.flatMap(({ formats }) => formats.flatMap((format) => sampleOfFormat(format) ?? [])),
    ...forms.flatMap(({ patterns }) => patterns.flatMap(samplesOfPattern)),
  ];
  const plain = ['text', 'a', 'A', '0', '', 'x y', '~', '-', 'not a match', '12', 'abc123', ...formatSamples];
  const sized = lengths.flatMap((length) => [...special, 'a', '0', 'A'].flatMap((text) => resize(text, length)));
  return unique([...special, ...plain, ...sized]);
};

/** Returns a text of that length in code points, made from another. */
const resize = (text: string, length: number): readonly string[] => {
  const characters = [...text];
  if (length <= characters.length) return [characters.slice(0, length).join('')];
  const missing = length - lengthOf(text);
  const last = characters.at(-1) ?? 'a';
  return [text + last.repeat(missing), (characters[0] ?? 'a').repeat(missing) + text];
};

const unique = (values: readonly Json[]): readonly Json[] => [
  ...new Map(values.map((value) => [typeof value === 'string' ? value : valueKeyOf(value), value])).values(),
];

/** Whether a range has no numbers. */
export const isEmptyRange = ({ min, max }: Form): boolean => {
  if (!min || !max) return false;
  const order = compareNumbers(min.value, max.value);
  return order > 0 || (order === 0 && (min.isExclusive || max.isExclusive));
};
