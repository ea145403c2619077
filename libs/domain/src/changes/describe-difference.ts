import type { Json } from '../json.ts';
import { compareNumbers } from '../operations/numbers.ts';
import type { Bound, Form } from './schemas/form.ts';
import type { LocatedDifference } from './schemas/compare-schemas.ts';
import { typeNames } from './schemas/form.ts';
import { hasKeyword } from './schemas/containment.ts';

/** The part of an operation that a schema describes. */
export type SchemaLocation = 'request-parameter' | 'request-body' | 'response-body' | 'response-header';

export interface DescribedDifference {
  /** The id of the rule. */
  readonly rule: string;
  /** A sentence without its end, such as `the maximum was decreased from 10 to 5`. */
  readonly text: string;
}

/** Returns the rule and the words for a difference of schemas. */
export const describeDifference = (located: LocatedDifference, location: SchemaLocation): DescribedDifference => {
  const { difference, before, after, place } = located;
  const { keyword, subject } = difference;
  const isRequest = location.startsWith('request');
  const change: Change = {
    before: before.form,
    after: after.form,
    subject,
    isRequest,
    isTightened: difference.effect !== 'loosened',
    // A limit that the wide side adds is new in requests, and one that was there before in responses.
    isAdded: (difference.effect === 'loosened') !== isRequest,
    isExcepted: difference.isExcepted,
    hasConst: [before, after].some((node) => hasKeyword(node, 'const')),
  };
  const describe = Object.hasOwn(descriptions, keyword) ? descriptions[keyword] : undefined;
  const { rule, text } = describe?.(change) ?? describeWhole(keyword, change);
  return { rule: `${prefixOf(location, place)}-${rule}`.replace(/^.*!/, ''), text };
};

const prefixOf = (location: SchemaLocation, place: string): string => {
  if (place === '') return location;
  return location === 'request-body'
    ? 'request-property'
    : location === 'response-body'
      ? 'response-property'
      : location;
};

interface Change {
  readonly before: Form;
  readonly after: Form;
  readonly subject: string | null;
  readonly isRequest: boolean;
  readonly isTightened: boolean;
  readonly isAdded: boolean;
  /** Whether callers are not affected because the member has a default. */
  readonly isExcepted: boolean;
  readonly hasConst: boolean;
}

type Size = Bound['value'];

/** Returns a number with all its digits. */
const textOf = (value: Size | null): string => (value === null ? '' : JSON.stringify(value));

/** A rule without its prefix; one that starts with `!` has no other prefix. */
type Describe = (change: Change) => DescribedDifference;

const limitOf =
  (
    name: string,
    words: string,
    read: (form: Form) => Size | null,
    none: 'set' | 'increased' | 'decreased' = 'set',
  ): Describe =>
  ({ before, after }) => {
    const [old, current] = [read(before), read(after)];
    if (old === null) return { rule: `${name}-${none}`, text: `the ${words} ${textOf(current)} was added` };
    if (current === null)
      return {
        rule: `${name}-${none === 'set' ? 'unset' : none === 'increased' ? 'decreased' : 'increased'}`,
        text: `the ${words} ${textOf(old)} was removed`,
      };
    const direction = compareNumbers(current, old) > 0 ? 'increased' : 'decreased';
    return {
      rule: `${name}-${direction}`,
      text: `the ${words} was ${direction} from ${textOf(old)} to ${textOf(current)}`,
    };
  };

const countOf = (read: (form: Form) => number, none: number) => (form: Form) =>
  read(form) === none ? null : read(form);

const describeBound =
  (side: 'min' | 'max', words: string): Describe =>
  (change) => {
    const [old, current] = [change.before[side], change.after[side]];
    const isExclusive = (current ?? old)?.isExclusive ?? false;
    const isOnlyExclusive = old && current && compareNumbers(old.value, current.value) === 0;
    const read = (bound: Bound | null): Size | null => bound && bound.value;
    if (isOnlyExclusive) {
      const isTighter = current.isExclusive;
      const direction = (side === 'max') === isTighter ? 'decreased' : 'increased';
      return {
        rule: `exclusive-${side}-${direction}`,
        text: `the ${words} ${textOf(current.value)} is ${isTighter ? 'no longer' : 'now'} included`,
      };
    }
    return limitOf(`${isExclusive ? 'exclusive-' : ''}${side}`, isExclusive ? `exclusive ${words}` : words, (form) =>
      read(form[side]),
    )(change);
  };

const listTypes = ({ types, integersOnly }: Form): readonly string[] =>
  typeNames.filter((name) => types.has(name)).map((name) => (name === 'number' && integersOnly ? 'integer' : name));

const wordsOf = (types: readonly string[]): string =>
  types.length === typeNames.length ? 'any type' : types.join(' or ');

const describeType: Describe = ({ before, after, isRequest }) => {
  const [old, current] = [listTypes(before), listTypes(after)];
  const text = `the type changed from ${wordsOf(old)} to ${wordsOf(current)}`;
  const withoutNull = (types: readonly string[]) => types.filter((type) => type !== 'null').join();
  if (current.join() === 'null') return { rule: 'became-nullable', text: 'null is now allowed' };
  if (old.join() === 'null') return { rule: 'became-not-nullable', text: 'null is no longer allowed' };
  if (withoutNull(old) === withoutNull(current) && old.length !== current.length)
    return current.includes('null')
      ? { rule: 'became-nullable', text: 'null is now allowed' }
      : { rule: 'became-not-nullable', text: 'null is no longer allowed' };
  const isWider = old.every((type) => current.includes(type) || (type === 'integer' && current.includes('number')));
  const isNarrower = current.every((type) => old.includes(type) || (type === 'integer' && old.includes('number')));
  const wasList = old.filter((type) => type !== 'null').length > 1 && old.length < typeNames.length;
  if (isWider) return { rule: wasList ? 'list-of-types-widened' : 'type-generalized', text };
  if (isNarrower && wasList) return { rule: 'list-of-types-narrowed', text };
  return { rule: isNarrower && !isRequest ? 'type-specialized' : 'type-changed', text };
};

const show = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
};

const differenceOf = (values: readonly Json[], others: readonly Json[]): readonly string[] => {
  const keys = new Set(others.map((value) => JSON.stringify(value)));
  return values.filter((value) => !keys.has(JSON.stringify(value))).map(show);
};

const describeValues: Describe = ({ before, after, hasConst, isTightened, isRequest }) => {
  const [old, current] = [before.values, after.values];
  const isOne = hasConst && (old?.length ?? 1) === 1 && (current?.length ?? 1) === 1;
  const name = isOne ? 'const' : 'enum';
  if (!old)
    return {
      rule: isOne ? 'const-added' : 'became-enum',
      text: `only ${listValues(current ?? [])} ${current?.length === 1 ? 'is' : 'are'} allowed now`,
    };
  if (!current) return { rule: `${name}-removed`, text: `other values than ${listValues(old)} are now allowed` };
  if (isOne)
    return { rule: 'const-changed', text: `the value changed from ${listValues(old)} to ${listValues(current)}` };
  // Requests get tighter by removed values, and responses by added ones.
  const isRemoval = isTightened === isRequest;
  const values = isRemoval ? differenceOf(old, current) : differenceOf(current, old);
  return isRemoval
    ? { rule: 'enum-value-removed', text: `the allowed values no longer include ${joinTexts(values)}` }
    : { rule: 'enum-value-added', text: `the allowed values now include ${joinTexts(values)}` };
};

const joinTexts = (texts: readonly string[]): string =>
  texts.length > 10 ? `${texts.slice(0, 10).join(', ')} and ${texts.length - 10} more` : texts.join(', ');

const listValues = (values: readonly Json[]): string => joinTexts(values.map(show));

const isDeclaredIn = ({ members }: Form, name: string): boolean =>
  members.some(({ properties }) => Object.hasOwn(properties, name));

const describeRequired: Describe = ({ before, after, subject, isRequest, isAdded, isExcepted }) => {
  const name = subject ?? '';
  const side = isRequest ? 'request' : 'response';
  if (isAdded) {
    const isNew = !isDeclaredIn(before, name);
    const suffix = isExcepted && isRequest ? '-with-default' : '';
    if (!isNew)
      return { rule: `!${side}-property-became-required${suffix}`, text: `the property ${name} is now required` };
    return {
      rule: isRequest ? `!new-required-request-property${suffix}` : '!response-required-property-added',
      text: `the property ${name} was added, and is required`,
    };
  }
  const isRemoved = !isDeclaredIn(after, name);
  if (!isRemoved)
    return { rule: `!${side}-property-became-optional`, text: `the property ${name} is no longer required` };
  return {
    rule: isRequest ? '!request-property-removed' : '!response-required-property-removed',
    text: `the property ${name} was removed, and was required`,
  };
};

const describeMember: Describe = ({ before, subject, isRequest }) => {
  const name = subject ?? '';
  const isRemoved = isDeclaredIn(before, name);
  if (isRequest)
    return isRemoved
      ? { rule: '!request-property-removed', text: `the property ${name} was removed` }
      : { rule: '!new-optional-request-property', text: `the property ${name} was added` };
  return isRemoved
    ? { rule: '!response-optional-property-removed', text: `the property ${name} was removed` }
    : { rule: '!response-optional-property-added', text: `the property ${name} was added` };
};

const addedOrRemoved =
  (rule: string, words: string): Describe =>
  ({ isAdded, before, after, subject }) => {
    const suffix = subject === null ? '' : ` ${subject}`;
    const isChanged = rule === 'pattern' && before.patterns.length > 0 && after.patterns.length > 0;
    if (isChanged)
      return {
        rule: 'pattern-changed',
        text: `the pattern changed from ${before.patterns.join(', ')} to ${after.patterns.join(', ')}`,
      };
    return {
      rule: `${rule}-${isAdded ? 'added' : 'removed'}`,
      text: `the ${words}${suffix} was ${isAdded ? 'added' : 'removed'}`,
    };
  };

const describeAlternative =
  (rule: string): Describe =>
  ({ subject, isAdded }) => ({
    // An alternative is not a limit: an added one accepts more.
    rule: `${rule}-${isAdded ? 'removed' : 'added'}`,
    text: `the alternative ${subject ?? ''} was ${isAdded ? 'removed' : 'added'}`,
  });

const describeMultiples: Describe = ({ before, after }) => {
  const [old, current] = [before, after].map(({ multiples }) => multiples.map(textOf).join(', '));
  if (!old) return { rule: 'multiple-of-added', text: `only multiples of ${current} are allowed now` };
  if (!current) return { rule: 'multiple-of-removed', text: `other numbers than multiples of ${old} are now allowed` };
  return { rule: 'multiple-of-changed', text: `the divisor changed from ${old} to ${current}` };
};

const describeFormat: Describe = ({ before, after }) => {
  const [old, current] = [before, after].map(({ formats }) => formats.join(', ') || 'none');
  return { rule: 'type-changed', text: `the format changed from ${old} to ${current}` };
};

const describeFlag =
  (name: string): Describe =>
  ({ isAdded, subject, isRequest }) => ({
    rule: `!${isRequest ? 'request' : 'response'}-property-became-${isAdded ? '' : 'not-'}${name}`,
    text: `the property ${subject ?? ''} is ${isAdded ? 'now' : 'no longer'} ${name}`,
  });

const descriptions: Readonly<Record<string, Describe>> = {
  type: describeType,
  enum: describeValues,
  minimum: describeBound('min', 'minimum'),
  exclusiveMinimum: describeBound('min', 'minimum'),
  maximum: describeBound('max', 'maximum'),
  exclusiveMaximum: describeBound('max', 'maximum'),
  multipleOf: describeMultiples,
  minLength: limitOf(
    'min-length',
    'minimum length',
    countOf(({ minLength }) => minLength, 0),
    'increased',
  ),
  maxLength: limitOf(
    'max-length',
    'maximum length',
    countOf(({ maxLength }) => maxLength, Infinity),
  ),
  minItems: limitOf(
    'min-items',
    'minimum number of items',
    countOf(({ minItems }) => minItems, 0),
  ),
  maxItems: limitOf(
    'max-items',
    'maximum number of items',
    countOf(({ maxItems }) => maxItems, Infinity),
  ),
  minProperties: limitOf(
    'min-properties',
    'minimum number of members',
    countOf(({ minProperties }) => minProperties, 0),
    'increased',
  ),
  maxProperties: limitOf(
    'max-properties',
    'maximum number of members',
    countOf(({ maxProperties }) => maxProperties, Infinity),
    'decreased',
  ),
  uniqueItems: ({ isAdded }) =>
    isAdded
      ? { rule: 'unique-items-required', text: 'items must be unique now' }
      : { rule: 'unique-items-removed', text: 'items need not be unique any more' },
  pattern: addedOrRemoved('pattern', 'pattern'),
  format: describeFormat,
  required: describeRequired,
  'member of narrow': describeMember,
  'member of wide': describeMember,
  patternProperties: addedOrRemoved('pattern-property', 'schema of members that match'),
  propertyNames: addedOrRemoved('property-names', 'limit of the names of members'),
  dependentRequired: addedOrRemoved('dependent-required', 'dependency'),
  contains: addedOrRemoved('contains', 'condition for contained items'),
  not: addedOrRemoved('not', 'excluded schema'),
  if: addedOrRemoved('if', 'condition'),
  dependentSchemas: addedOrRemoved('dependent-schema', 'dependent schema'),
  unevaluatedProperties: addedOrRemoved('unevaluated-properties', 'limit of further members'),
  unevaluatedItems: addedOrRemoved('unevaluated-items', 'limit of further items'),
  $ref: addedOrRemoved('external-reference', 'reference out of the document'),
  anyOf: describeAlternative('any-of'),
  oneOf: describeAlternative('one-of'),
  additionalProperties: ({ isAdded }) =>
    isAdded
      ? { rule: 'additional-properties-narrowed', text: 'members that are not listed are limited now' }
      : { rule: 'additional-properties-widened', text: 'members that are not listed are less limited now' },
  readOnly: describeFlag('read-only'),
  writeOnly: describeFlag('write-only'),
  deprecated: ({ isAdded, subject, isRequest }) => ({
    rule: `!${isRequest ? 'request' : 'response'}-property-${isAdded ? 'deprecated' : 'reactivated'}`,
    text: `the property ${subject ?? ''} is ${isAdded ? 'now' : 'no longer'} deprecated`,
  }),
  never: ({ isAdded }) =>
    isAdded
      ? { rule: 'forbidden', text: 'no value is allowed any more' }
      : { rule: 'allowed', text: 'values are allowed now' },
};

/** Describes alternatives that were added or removed as a whole. */
const describeWhole = (keyword: string, { before, after }: Change): DescribedDifference => {
  const name = keyword.startsWith('oneOf') ? 'one-of' : 'any-of';
  if (before.unions.length === 0)
    return { rule: `wrapped-in-${name}`, text: 'the schema became a list of alternatives' };
  if (after.unions.length === 0)
    return { rule: `unwrapped-from-${name}`, text: 'the list of alternatives became one schema' };
  return { rule: `${name}-changed`, text: 'the lists of alternatives changed' };
};
