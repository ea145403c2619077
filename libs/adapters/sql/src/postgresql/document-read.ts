import type { CollectionDialect, DocumentRow } from '../collection-reads.ts';
import type { PostgresqlDatabase } from './postgresql-database.ts';

/** A large document is asked for once more, in its turn; whoever reads a small one waits for no large one. */
export const prepareDocumentOn =
  ({ prepared, preparedInTurn }: PostgresqlDatabase): CollectionDialect['document'] =>
  (select) => {
    // The length of a value is known without reading the value.
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
/** pg reads no column in binary, and base64 in less than half of the time that its hexadecimal digits take. */
const encoded = `encode(d.deflated, 'base64')`;
