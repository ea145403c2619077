import { BigIntType, DoubleType, type EntityMetadata, IntegerType, ReferenceKind, TextType } from '@mikro-orm/core';

/**
 * What PostgreSQL says otherwise of the same tables: texts compare by code points whatever the locale of the database is,
 * numbers that count rows have 64 bits, and an instant with fractions of a millisecond is no integer. SQLite keeps one in any
 * column of integers.
 */
export const tableOnPostgresql = ({ properties }: EntityMetadata): void => {
  for (const property of Object.values<EntityMetadata['properties'][string]>(properties)) {
    const type: unknown = property.type;
    if (type instanceof TextType || type === TextType || property.kind === ReferenceKind.MANY_TO_ONE)
      property.collation = 'C';
    if (type === IntegerType && property.primary && property.autoincrement !== false) {
      Object.assign(property, { type: new BigIntType('number') });
    }
    if (property.name === 'instant') Object.assign(property, { type: new DoubleType() });
  }
};
