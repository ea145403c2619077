import { isSecretVariable, variableGroups } from '@portico/composition';

/** An environment variable, from its declaration. */
export interface DescribedVariable {
  readonly name: string;
  readonly meaning: string;
  /** The default value as written in the environment; null if the variable has no default. */
  readonly defaultValue: string | null;
  /** The expectation stated in the variable's error message; null if any text is accepted. */
  readonly expected: string | null;
  /** Whether `NAME_FILE` can point to a file that contains the value. */
  readonly isSecret: boolean;
}

interface VariableSchema {
  readonly description?: string;
  readonly _zod: { readonly def: object };
  safeParse(value: unknown): { readonly error?: { readonly issues: readonly { readonly message: string }[] } };
}

/** A value that is rejected by all variables except those that accept any text. */
const invalidValue = '\u0000';

const describeVariable = (name: string, schema: VariableSchema): DescribedVariable => {
  const { defaultValue = null } = schema._zod.def as { readonly defaultValue?: string };
  const expected = schema.safeParse(invalidValue).error?.issues[0]?.message ?? null;
  if (schema.description === undefined) throw new Error(`${name} has no description`);
  return { name, meaning: schema.description, defaultValue, expected, isSecret: isSecretVariable(name) };
};

/** All variables by subject, in the order of their declarations. */
export const variablesBySubject: readonly (readonly [string, readonly DescribedVariable[]])[] = Object.entries(
  variableGroups,
).map(([subject, group]) => [subject, Object.entries(group).map(([name, schema]) => describeVariable(name, schema))]);
