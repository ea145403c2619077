import { GroupEntity } from './entities/access-entities.ts';
import { columnsOf, insertInto, updateOf, without } from './table.ts';

export const groupColumns = columnsOf(GroupEntity);

export const insertGroup = insertInto(GroupEntity, groupColumns);
export const updateGroup = updateOf(GroupEntity, 'id', without(groupColumns, 'id'));
