import { defineEntity } from '@mikro-orm/core';
import type { OneTimeCodePurpose } from '@portico/domain';
import { int64, text } from './columns.ts';

export const OneTimeCodeEntity = defineEntity({
  name: 'OneTimeCode',
  tableName: 'one_time_codes',
  properties: {
    digest: text().primary(),
    purpose: text().$type<OneTimeCodePurpose>(),
    payload: text(),
    expiresAt: int64(),
  },
  /** Used to find expired codes. */
  indexes: [{ name: 'one_time_codes_expires_at_index', properties: ['expiresAt'] }],
});
