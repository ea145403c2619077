import { defineEntity, p } from '@mikro-orm/core';
import { int64, text } from './columns.ts';

/** A single row. Each number grows with every change to the data that it is named after. */
export const EpochsEntity = defineEntity({
  name: 'Epochs',
  tableName: 'epochs',
  properties: {
    id: p.integer().primary().autoincrement(false),
    catalog: int64(),
    embeddings: int64(),
    operations: int64().defaultRaw('0'),
    groups: int64().defaultRaw('0'),
    /** The model that searches use, which is stored here because each request reads this row. */
    searchModel: text().nullable(),
  },
});

export const SettingEntity = defineEntity({
  name: 'Setting',
  tableName: 'settings',
  properties: { name: text().primary(), value: text() },
});
