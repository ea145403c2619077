import type { MovedTable } from './moved-tables.ts';

/** The statements in this file work in both dialects. The names in them come from the entities. */
export const countRows = ({ name }: MovedTable): string => `select count(*) as count from ${name}`;

export const selectRows = ({ name, columns, key }: MovedTable): string =>
  `select ${columns.map((column) => column.name).join(', ')} from ${name} order by ${key.join(', ')}`;

/**
 * Returns SQL that selects the number of bytes in each row, in the order of `selectRows`; null if no column contains
 * bytes.
 */
export const selectSizes = ({ name, columns, key }: MovedTable): string | null => {
  const sizes = columns
    .filter(({ kind }) => kind === 'bytes')
    .map((column) => `coalesce(octet_length(${column.name}), 0)`);
  return sizes.length === 0 ? null : `select ${sizes.join(' + ')} from ${name} order by ${key.join(', ')}`;
};

export const insertRow = ({ name, columns }: MovedTable): string =>
  `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values (${columns.map(() => '?').join(', ')})`;

export const deleteRows = ({ name }: MovedTable): string => `delete from ${name}`;
