/**
 * The documentation of a port as executable checks. Each key is a sentence that is true of every adapter. Each value
 * checks it on a fresh subject and throws (`node:assert`) if it is not true. Needs no test runner.
 */
export type Contract<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/**
 * For each case, a wrapper around a correct subject that breaks this one promise. The case must fail on it, which
 * proves that the case can fail.
 */
export type Sabotages<Cases extends Contract<never>, Subject> = {
  readonly [Sentence in keyof Cases]: (subject: Subject) => Subject;
};
