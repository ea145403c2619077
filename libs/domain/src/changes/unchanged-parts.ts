import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import { ExactNumber, isJsonArray, isJsonObject, type Json } from '../json.ts';

/** The target of a reference in both documents. */
interface Target {
  isSame: boolean;
  /** The targets that refer to it. */
  readonly dependents: Target[];
}

/**
 * Finds the parts of two documents that are the same, with everything that they refer to: they need no comparison.
 * Most of a document is, in most changes, which makes the comparison of a large one several times as fast.
 */
export class UnchangedParts {
  readonly #before: Json;
  readonly #after: Json;
  readonly #targets = new Map<string, Target>();

  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  /** Whether two values are the same, as are the targets of all their references. */
  isUnchanged(before: Json | undefined, after: Json | undefined): boolean {
    const references = new Set<string>();
    if (!isSame(before, after, references)) return false;
    const changedTargets: Target[] = [];
    const newReferences: (readonly [reference: string, dependent: Target | null])[] = [...references].map(
      (reference) => [reference, null],
    );
    for (const [reference, dependent] of newReferences) {
      let target = this.#targets.get(reference);
      if (!target) {
        const innerReferences = new Set<string>();
        const path = localPathOf(reference);
        const values = path && [valueAt(this.#before, path), valueAt(this.#after, path)];
        // Other references are followed by the comparison itself.
        const hasSameText = values?.[0] !== undefined && isSame(values[0], values[1], innerReferences);
        target = { isSame: hasSameText, dependents: [] };
        this.#targets.set(reference, target);
        for (const inner of innerReferences) newReferences.push([inner, target]);
      }
      if (dependent) target.dependents.push(dependent);
      if (!target.isSame) changedTargets.push(target);
    }
    for (const target of changedTargets)
      for (const dependent of target.dependents)
        if (dependent.isSame) {
          dependent.isSame = false;
          changedTargets.push(dependent);
        }
    return [...references].every((reference) => this.#targets.get(reference)?.isSame);
  }
}

/** Whether two values are the same, apart from the order of members; collects their references. */
const isSame = (before: Json | undefined, after: Json | undefined, references: Set<string>): boolean => {
  if (isJsonArray(before))
    return (
      isJsonArray(after) &&
      before.length === after.length &&
      before.every((item, index) => isSame(item, after[index], references))
    );
  if (before instanceof ExactNumber) return after instanceof ExactNumber && before.text === after.text;
  if (!isJsonObject(before)) return before === after;
  if (!isJsonObject(after)) return false;
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return false;
  for (const name of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = memberOf(before, name);
    if (typeof reference === 'string') references.add(reference);
  }
  return names.every((name) => Object.hasOwn(after, name) && isSame(before[name], after[name], references));
};
