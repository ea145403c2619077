import type { Json } from '../../json.ts';
import type { Form } from './form.ts';
import { valueKeyOf } from './json-value.ts';
import { declaredNamesOf, memberNodeOf, otherNodeOf, patternNodesOf } from './members.ts';
import { isEmptyRange } from './scalar-samples.ts';
import type { SchemaSpace } from './schema-space.ts';

/** Whether it is certain that a set is empty. */
export const isNever = (form: Form): boolean => {
  if (form.isNever || form.values?.length === 0) return true;
  if (form.types.size !== 1) return false;
  if (form.types.has('number')) return isEmptyRange(form);
  if (form.types.has('string')) return form.minLength > form.maxLength;
  return form.types.has('array') && form.minItems > form.maxItems;
};

/** Returns the values of a set that can be listed; null if it may have others. */
export const finiteValuesOf = ({ values, types }: Form): readonly Json[] | null => {
  if (values) return values.length <= 1_000 ? values : null;
  if ([...types].some((type) => type !== 'null' && type !== 'boolean')) return null;
  return [...types].flatMap((type): readonly Json[] => (type === 'null' ? [null] : [true, false]));
};

/** Returns how many different names members can have. */
export const countPossibleNames = (space: SchemaSpace, form: Form): number => {
  const isClosed =
    isNever(otherNodeOf(space, form).form) &&
    [...patternNodesOf(space, form).values()].every((node) => isNever(node.form));
  if (!isClosed) return Infinity;
  return declaredNamesOf(form).filter((name) => !isNever(memberNodeOf(space, form, name, 'narrow').form)).length;
};

export const haveDifferentValues = ({ values }: Form, { values: others }: Form): boolean => {
  if (!values || !others) return false;
  const keys = new Set(others.map(valueKeyOf));
  return !values.some((value) => keys.has(valueKeyOf(value)));
};
