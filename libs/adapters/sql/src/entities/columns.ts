import { p } from '@mikro-orm/core';

/**
 * For both dialects. Instants are milliseconds in a 64-bit integer. Ids are lower-case UUIDs stored as text, so both
 * dialects compare and return them alike.
 */
export const int64 = () => p.bigint('number');
export const text = () => p.text();
