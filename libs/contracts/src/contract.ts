/**
 * The sentences of a port's documentation as checks: each key is a sentence that is true of every adapter, each value
 * shows it on a fresh subject and throws (`node:assert`) where it does not hold. No test runner is needed for it.
 */
export type Contract<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/**
 * For each case a wrapper round a right subject that breaks that one promise: the case must fail on it, which shows that
 * the case can fail at all.
 */
export type Sabotages<Cases extends Contract<never>, Subject> = {
  readonly [Sentence in keyof Cases]: (subject: Subject) => Subject;
};
