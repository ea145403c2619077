import type { CollectionDialect, DocumentRow } from '../collection-reads.ts';
import type { PostgresqlDatabase } from './postgresql-database.ts';

/** A large document takes a second query, one at a time, so that reads of small ones never wait for it. */
export const prepareDocumentOn =
  ({ prepared, preparedInTurn }: PostgresqlDatabase): CollectionDialect['document'] =>
  (select) => {
    // PostgreSQL knows the length of a value without reading it.
    const small = prepared.first<EncodedRow<string> | EncodedRow<null>>(
      select(`case when octet_length(d.deflated) <= ${smallBytesMax} then ${encoded} end`),
    );
    const large = preparedInTurn.first<EncodedRow<string>>(select(encoded));

    return async (id) => {
      const found = await small(id);
      const row = found?.packed === null ? await large(id) : found;
      return row && { ...row, packed: Buffer.from(row.packed, 'base64') };
    };
  };

type EncodedRow<Packed> = Omit<DocumentRow, 'packed'> & { readonly packed: Packed };

const smallBytesMax = 4 * 2 ** 20;
/** pg does not read binary columns; base64 takes less than half as long as hexadecimal. */
const encoded = `encode(d.deflated, 'base64')`;
