import { GroupEntity } from './entities/access-entities.ts';
import { columnsOf, insertInto, updateOf, omitNames } from './table.ts';

export const groupColumns = columnsOf(GroupEntity);

export const insertGroup = insertInto(GroupEntity, groupColumns);
export const updateGroup = updateOf(GroupEntity, 'id', omitNames(groupColumns, 'id'));
