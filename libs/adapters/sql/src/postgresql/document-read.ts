import type { CollectionDialect, DocumentRow } from '../collection-reads.ts';
import type { PostgresqlDatabase } from './postgresql-database.ts';

/** A document that is not small takes a second query, so that reads of small ones never wait for it. */
export const prepareDocumentOn =
  ({ singleRows }: Pick<PostgresqlDatabase, 'singleRows'>): CollectionDialect['document'] =>
  (select) => {
    // PostgreSQL knows the length of a value without reading it.
    const upTo = (max: number) => select(`case when octet_length(d.deflated) <= ${max} then d.deflated end`);
    const small = singleRows.small<DocumentRow | UnreadRow>(upTo(smallBytesMax));
    const medium = singleRows.medium<DocumentRow | UnreadRow>(upTo(mediumBytesMax));
    const large = singleRows.large<DocumentRow>(select('d.deflated'));

    return async (id) => {
      let row = await small(id);
      if (row?.packed === null) row = await medium(id);
      return row?.packed === null ? large(id) : row;
    };
  };

type UnreadRow = Omit<DocumentRow, 'packed'> & { readonly packed: null };

/** What a network of 1 Gbit/s carries in half a millisecond. */
const smallBytesMax = 64 * 2 ** 10;
const mediumBytesMax = 4 * 2 ** 20;
