import type { GroupId } from '@portico/domain';
import type { CallerContext, Context } from '../route.ts';

type GroupContext = Pick<Context<'admin', unknown, unknown>, 'useCases' | 'params'> & {
  readonly caller: CallerContext<'admin'>;
};

/** Returns the id of the group whose id or name is in the path. */
export const groupOf = ({ useCases, caller, params }: GroupContext): Promise<GroupId> =>
  useCases.findGroup(caller.authority, params['group_id'] ?? '');
