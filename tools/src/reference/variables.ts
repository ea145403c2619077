import { isSecretVariable, variableGroups } from '@portico/composition';

/** A variable of the environment, as its declaration describes it. */
export interface DescribedVariable {
  readonly name: string;
  readonly meaning: string;
  /** As one would set it; null if it is absent by default. */
  readonly standard: string | null;
  /** What its error says was expected; null if any text is allowed. */
  readonly expected: string | null;
  /** Whether `NAME_FILE` may name a file with its value. */
  readonly isSecret: boolean;
}

interface Declared {
  readonly description?: string;
  readonly _zod: { readonly def: object };
  safeParse(value: unknown): { readonly error?: { readonly issues: readonly { readonly message: string }[] } };
}

/** No variable but those that take any text accepts this. */
const nonsense = '\u0000';

const described = (name: string, declared: Declared): DescribedVariable => {
  const { defaultValue = null } = declared._zod.def as { readonly defaultValue?: string };
  const expected = declared.safeParse(nonsense).error?.issues[0]?.message ?? null;
  if (declared.description === undefined) throw new Error(`${name} has no description`);
  return { name, meaning: declared.description, standard: defaultValue, expected, isSecret: isSecretVariable(name) };
};

/** All variables by subject, in the order of their declarations. */
export const variablesBySubject: readonly (readonly [string, readonly DescribedVariable[]])[] = Object.entries(
  variableGroups,
).map(([subject, group]) => [subject, Object.entries(group).map(([name, declared]) => described(name, declared))]);
