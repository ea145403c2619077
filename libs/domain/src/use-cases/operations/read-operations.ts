import type { WithPermission } from '../../access/operation-rule.ts';
import { permissionsOf, type Principal, requireReadableTarget } from '../../access/principal.ts';
import type { PositionedOperation } from '../../documents/operation.ts';
import { withSummary } from '../../documents/read-operations.ts';
import type { Ports } from '../../ports/index.ts';
import type { OperationFilter, OperationPage } from '../../ports/operation-store.ts';

/**
 * Returns the operations of the collection that the request is about, in the document's order, with a summary for
 * display (`withSummary`), and whether the caller may call them.
 */
export const listOperations =
  ({ operations }: Pick<Ports, 'operations'>) =>
  async (
    principal: Principal,
    filter: OperationFilter,
    page: OperationPage | null,
  ): Promise<readonly (PositionedOperation & WithPermission)[]> => {
    const callOf = permissionsOf(principal);
    const list = await operations.list(requireReadableTarget(principal).id, filter, page);
    return list.map((operation) => ({ ...withSummary(operation), call: callOf(operation) }));
  };
