import { listDocumentOperations, type DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import type { OperationKeyOf } from '../documents/read-operations.ts';
import { isJsonArray, type Json } from '../json.ts';
import type { ChangedOperation, Comparison } from './change.ts';
import { ChangeList, type DigestOf } from './change-list.ts';
import { compareWebhooks } from './compare-callbacks.ts';
import type { ComparedDocuments } from './compare-contents.ts';
import { OperationComparison } from './compare-operations.ts';
import { compareSchemes, compareSecurity } from './compare-security.ts';
import { SchemaComparison } from './schemas/compare-schemas.ts';
import { UnchangedParts } from './unchanged-parts.ts';
import { WorkBudget } from './schemas/work-budget.ts';
import { SchemaSpace } from './schemas/schema-space.ts';

export type { DigestOf };

export interface ComparisonOptions {
  readonly keyOf: OperationKeyOf;
  readonly digestOf: DigestOf;
  /** The work that the comparison may take (`WorkBudget`). */
  readonly steps?: number;
}

/**
 * Compares two parsed documents (extensions, section 8): operation by operation, the requests and responses of callers
 * of the earlier document. Operations are the same if their methods and paths are, except for the names of parameters
 * in the path.
 */
export const compareDocuments = (
  before: Json,
  after: Json,
  { keyOf, digestOf, steps = budgetSteps }: ComparisonOptions,
): Comparison => {
  const list = new ChangeList(digestOf);
  const budget = new WorkBudget(steps);
  const spaces = [new SchemaSpace(before, budget), new SchemaSpace(after, budget)] as const;
  const unchangedParts = new UnchangedParts(before, after);
  const documents: ComparedDocuments = {
    before,
    after,
    requests: new SchemaComparison(...spaces, 'request', unchangedParts),
    responses: new SchemaComparison(...spaces, 'response', unchangedParts),
  };
  const toChanged = ({ method, path }: DocumentOperation): ChangedOperation => ({
    key: keyOf(method, path),
    method,
    path,
  });
  const [operations, newOperations] = [operationsOf(before), operationsOf(after)];
  for (const [name, operation] of operations) {
    const newOperation = newOperations.get(name);
    if (!newOperation) {
      addRemovedOperation(operation, newOperations, toChanged(operation), list);
      continue;
    }
    const changedOperation = toChanged(operation);
    if (!isUnchanged(unchangedParts, operation, newOperation))
      new OperationComparison(documents, { before: operation, after: newOperation }, changedOperation, list).compare();
    compareSecurity([before, after], [operation, newOperation], changedOperation, list);
    const servers = [operation, newOperation].map(serversOf);
    if (servers.some((value) => value !== undefined))
      compareServers(
        servers[0] ?? memberOf(before, 'servers'),
        servers[1] ?? memberOf(after, 'servers'),
        changedOperation,
        list,
      );
  }
  for (const [name, operation] of newOperations)
    if (!operations.has(name))
      list.add(toChanged(operation), { rule: 'endpoint-added', level: 'info', text: 'the operation was added' });
  compareSchemes(before, after, list);
  compareServers(memberOf(before, 'servers'), memberOf(after, 'servers'), null, list);
  compareWebhooks(documents, list);
  if (budget.isExhausted)
    list.add(null, {
      rule: 'comparison-incomplete',
      level: 'warning',
      text: 'the comparison was ended before all schemas were compared: it takes too long',
    });
  return list.toComparison();
};

/** About five seconds. One change in the largest real document of the tests takes a twentieth of it. */
const budgetSteps = 10_000_000;

/** Returns a path without the names of its parameters. */
const withoutNames = (path: string): string => path.replaceAll(/\{[^{}/]*\}/g, '{}');

/** Whether an operation is the same, with the parameters of its path. */
const isUnchanged = (parts: UnchangedParts, before: DocumentOperation, after: DocumentOperation): boolean =>
  before.path === after.path &&
  parts.isUnchanged(before.operation, after.operation) &&
  parts.isUnchanged(memberOf(before.pathItem, 'parameters'), memberOf(after.pathItem, 'parameters'));

/** Returns the operations by method and path, without the names of parameters. */
const operationsOf = (document: Json): ReadonlyMap<string, DocumentOperation> =>
  new Map(
    [...listDocumentOperations(document)].map((operation) => [
      `${operation.method} ${withoutNames(operation.path)}`,
      operation,
    ]),
  );

const addRemovedOperation = (
  { operation, path }: DocumentOperation,
  newOperations: ReadonlyMap<string, DocumentOperation>,
  changedOperation: ChangedOperation,
  list: ChangeList,
): void => {
  const hasPath = [...newOperations.values()].some((candidate) => withoutNames(candidate.path) === withoutNames(path));
  const name = hasPath ? 'api-removed' : 'api-path-removed';
  if (memberOf(operation, 'deprecated') === true)
    list.add(changedOperation, {
      rule: `${name}-with-deprecation`,
      level: 'warning',
      text: 'the operation was removed after it was deprecated',
    });
  else
    list.add(changedOperation, {
      rule: `${name}-without-deprecation`,
      level: 'breaking',
      text: 'the operation was removed',
    });
};

/** Returns the servers of an operation's own, or of its path; undefined if it has those of the document. */
const serversOf = ({ operation, pathItem }: DocumentOperation): Json | undefined =>
  memberOf(operation, 'servers') ?? memberOf(pathItem, 'servers');

/** Reports an address that calls are no longer sent to. */
const compareServers = (
  before: Json | undefined,
  after: Json | undefined,
  operation: ChangedOperation | null,
  list: ChangeList,
): void => {
  const [urls, newUrls] = [serverUrlsOf(before), serverUrlsOf(after)];
  for (const url of urls)
    if (!newUrls.has(url))
      list.add(operation, {
        rule: 'api-server-removed',
        level: 'warning',
        place: 'servers',
        text: `the server ${url} was removed`,
      });
  for (const url of newUrls)
    if (!urls.has(url))
      list.add(operation, {
        rule: 'api-server-added',
        level: 'info',
        place: 'servers',
        text: `the server ${url} was added`,
      });
};

const serverUrlsOf = (servers: Json | undefined): ReadonlySet<string> => {
  const urls = (isJsonArray(servers) ? servers : []).map((server) => memberOf(server, 'url'));
  return new Set(urls.filter((url) => typeof url === 'string'));
};
