import { p } from '@mikro-orm/core';

/**
 * Column types for both dialects. Instants are milliseconds in a 64-bit integer. Ids are lower-case UUIDs stored as
 * text, so both dialects compare and return them in the same way.
 */
export const int64 = () => p.bigint('number');
export const text = () => p.text();
