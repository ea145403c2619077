/**
 * The sentences of a port's documentation as checks. Each key is a sentence that is true of every adapter. Each value
 * checks it on a fresh subject and throws (`node:assert`) if it does not hold. Needs no test runner.
 */
export type Contract<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/**
 * For each case, a wrapper around a correct subject that breaks that one promise. The case must fail on it, which shows
 * that the case can fail at all.
 */
export type Sabotages<Cases extends Contract<never>, Subject> = {
  readonly [Sentence in keyof Cases]: (subject: Subject) => Subject;
};
