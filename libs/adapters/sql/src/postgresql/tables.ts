import { BigIntType, DoubleType, type EntityMetadata, IntegerType, ReferenceKind, TextType } from '@mikro-orm/core';

/**
 * Adapts the entities to PostgreSQL: text is compared by code points regardless of the database's locale, row numbers
 * have 64 bits, and an instant may have fractions of a millisecond, so it is not stored as an integer. SQLite also
 * stores fractions in an integer column.
 */
export const adaptTableToPostgresql = ({ properties }: EntityMetadata): void => {
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
