/**
 * A port's documentation in the form of executable checks. Each key is a sentence that is true of every adapter. Its
 * value checks the sentence on a fresh subject and throws (`node:assert`) if it is not true. No test runner is needed.
 */
export type Contract<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/**
 * For each case, a function that wraps a correct subject and breaks only this promise. The case must fail for the
 * wrapped subject, which proves that the case can fail.
 */
export type Sabotages<Cases extends Contract<never>, Subject> = {
  readonly [Sentence in keyof Cases]: (subject: Subject) => Subject;
};
