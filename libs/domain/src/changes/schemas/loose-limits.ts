import type { Json } from '../../json.ts';
import { compareNumbers, isInteger, toNumber } from '../../operations/numbers.ts';
import { typeNames, type Bound, type Form } from './form.ts';
import { impliesFormat, isCheckedFormat } from './formats.ts';
import { valueKeyOf } from './json-value.ts';

/** A limit of the wide set that the narrow one does not state as tightly. */
export interface LooseLimit {
  /** The keyword that states the limit. */
  readonly keyword: string;
  /** Its subject, such as the name of a required member. */
  readonly subject: string | null;
  /** The limit as a schema by itself. */
  readonly limit: { readonly [keyword: string]: Json };
}

/**
 * Returns the limits of the wide set, other than those of alternatives, members and items, that the narrow one may
 * exceed. Without any, the narrow set meets all of them.
 */
export const listLooseLimits = (narrow: Form, wide: Form): readonly LooseLimit[] => {
  const limits: LooseLimit[] = [];
  const add = (keyword: string, value: Json, subject: string | null = null): void =>
    void limits.push({ keyword, subject, limit: { [keyword]: value } });
  const can = (type: string): boolean => narrow.types.has(type as never) && wide.types.has(type as never);

  const extraTypes = [...narrow.types].filter((type) => !wide.types.has(type));
  if (extraTypes.length > 0) add('type', typeNamesOf(wide));
  else if (can('number') && wide.integersOnly && !isIntegral(narrow)) add('type', typeNamesOf(wide));
  if (can('number')) addNumberLimits(narrow, wide, add);
  if (can('string')) {
    if (wide.minLength > narrow.minLength) add('minLength', wide.minLength);
    if (wide.maxLength < narrow.maxLength) add('maxLength', wide.maxLength);
    for (const pattern of wide.patterns) if (!narrow.patterns.includes(pattern)) add('pattern', pattern, pattern);
  }
  for (const format of wide.formats) {
    const isRelevant = can(/^int/.test(format) ? 'number' : 'string') && isCheckedFormat(format);
    if (isRelevant && !narrow.formats.some((other) => impliesFormat(other, format))) add('format', format, format);
  }
  if (can('array')) {
    if (wide.minItems > narrow.minItems) add('minItems', wide.minItems);
    if (wide.maxItems < narrow.maxItems) add('maxItems', wide.maxItems);
    if (wide.uniqueItems && !narrow.uniqueItems && narrow.maxItems > 1) add('uniqueItems', true);
  }
  if (can('object')) addObjectLimits(narrow, wide, add);
  if (wide.values && !isSubset(narrow.values, wide.values)) add('enum', wide.values);
  return limits;
};

const isSubset = (values: readonly Json[] | null, others: readonly Json[]): boolean => {
  const keys = new Set(others.map(valueKeyOf));
  return values?.every((value) => keys.has(valueKeyOf(value))) ?? false;
};

type Add = (keyword: string, value: Json, subject?: string) => void;

const typeNamesOf = ({ types, integersOnly }: Form): Json =>
  typeNames.filter((name) => types.has(name)).map((name) => (name === 'number' && integersOnly ? 'integer' : name));

const isIntegral = ({ integersOnly, multiples, formats }: Form): boolean =>
  integersOnly || multiples.some(isInteger) || formats.some((format) => format === 'int32' || format === 'int64');

const addNumberLimits = (narrow: Form, wide: Form, add: Add): void => {
  for (const [side, sign, inclusive, exclusive] of [
    ['min', 1, 'minimum', 'exclusiveMinimum'],
    ['max', -1, 'maximum', 'exclusiveMaximum'],
  ] as const) {
    const bound = wide[side];
    if (bound && !isTighter(narrow[side], bound, sign)) add(bound.isExclusive ? exclusive : inclusive, bound.value);
  }
  for (const divisor of wide.multiples) {
    const isImplied = narrow.multiples.some((other) => isMultipleOf(other, divisor));
    if (!isImplied && !(toNumber(divisor) === 1 && isIntegral(narrow)))
      add('multipleOf', divisor, `${toNumber(divisor)}`);
  }
};

const isTighter = (bound: Bound | null, other: Bound, sign: 1 | -1): boolean => {
  if (!bound) return false;
  const order = compareNumbers(bound.value, other.value) * sign;
  return order > 0 || (order === 0 && (bound.isExclusive || !other.isExclusive));
};

const isMultipleOf = (value: Form['multiples'][number], divisor: Form['multiples'][number]): boolean =>
  compareNumbers(value, divisor) === 0 ||
  ([value, divisor].every((number) => Number.isSafeInteger(toNumber(number))) &&
    Number.isInteger(toNumber(value) / toNumber(divisor)));

const addObjectLimits = (narrow: Form, wide: Form, add: Add): void => {
  for (const name of wide.required) if (!narrow.required.has(name)) add('required', [name], name);
  if (wide.minProperties > Math.max(narrow.minProperties, narrow.required.size))
    add('minProperties', wide.minProperties);
  if (wide.maxProperties < narrow.maxProperties) add('maxProperties', wide.maxProperties);
  for (const [name, required] of wide.dependencies) {
    const isImplied =
      narrow.required.has(required) || narrow.dependencies.some(([other, by]) => other === name && by === required);
    if (!isImplied) add('dependentRequired', { [name]: [required] }, `${name}, ${required}`);
  }
};
