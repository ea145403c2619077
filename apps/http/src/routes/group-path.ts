import type { GroupId } from '@portico/domain';
import type { CallerFacts, Context } from '../route.ts';

type Found = Pick<Context<'admin', unknown, unknown>, 'useCases' | 'params'> & {
  readonly caller: CallerFacts<'admin'>;
};

/** The id of the group that the path names by its id or its name. */
export const groupOf = ({ useCases, caller, params }: Found): Promise<GroupId> =>
  useCases.findGroup(caller.authority, params['group_id'] ?? '');
