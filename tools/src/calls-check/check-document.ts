import { checks, externalFacts, type FactName } from './checks.ts';
import { readFacts } from './document-facts.ts';
import { DocumentSchemas } from './document-schemas.ts';
import { parseJsonText } from './json-text.ts';
import { describe, type CallSettings, type DescribedOperation } from './product.ts';
import type { Difference } from './views.ts';
import { collectNumbers } from './view-schemas.ts';

/** A difference with its operation. */
export interface DocumentDifference extends Difference {
  readonly operation: string;
  readonly fact: FactName;
}

export interface DocumentResult {
  readonly operations: number;
  /** The number of operations for which each fact was compared. */
  readonly compared: ReadonlyMap<FactName, number>;
  readonly differences: readonly DocumentDifference[];
}

/** Compares the product's description of each operation with the document. Throws if the operations differ. */
export function checkDocument(
  text: string,
  facts: readonly FactName[],
  describeAll: (text: string, settings: CallSettings) => Iterable<DescribedOperation> = describe,
): DocumentResult {
  const schemas = new DocumentSchemas(parseJsonText(text));
  const numbers = collectNumbers(schemas.root);
  const operations = new Map([...readFacts(schemas)].map((operation) => [nameOf(operation), operation]));
  const compared = new Map<FactName, number>();
  const differences: DocumentDifference[] = [];
  const describedNames = new Set<string>();
  for (const described of describeAll(text, {})) {
    const operation = nameOf(described);
    const operationFacts = operations.get(operation);
    if (!operationFacts) throw new Error(`The product describes ${operation}, which is not in the document`);
    describedNames.add(operation);
    for (const fact of facts) {
      if (operationFacts.externalPlaces.includes('') && !externalFacts.includes(fact)) continue;
      compared.set(fact, (compared.get(fact) ?? 0) + 1);
      const factDifferences = checks[fact]({ schemas, numbers, facts: operationFacts }, described);
      differences.push(...factDifferences.map((difference) => ({ operation, fact, ...difference })));
    }
  }
  const missingName = [...operations.keys()].find((name) => !describedNames.has(name));
  if (missingName !== undefined) throw new Error(`The product does not describe ${missingName}`);
  return { operations: operations.size, compared, differences };
}

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;
