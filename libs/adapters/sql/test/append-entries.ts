/** Opens the file, appends `count` audit entries (or until killed), and reports the id of each acknowledged entry. */
import { randomUUID } from 'node:crypto';
import { anEntry } from '@portico/contracts';
import type { EntryId } from '@portico/domain';
import { openSqlStores } from '../src/index.ts';

const [file = '', count = 'endless'] = process.argv.slice(2);
const { stores, close } = await openSqlStores({ kind: 'sqlite', file }, { writeWaitMs: 30_000 });
const appendOne = async () => {
  const id = randomUUID() as EntryId;
  await stores.audit.append(anEntry({ id }), null);
  // A message still in flight when the process disconnects would be lost.
  await new Promise((resolve) => process.send?.(id, resolve));
};
for (let n = 0; count === 'endless' || n < Number(count); n += 5) {
  await Promise.all(Array.from({ length: 5 }, appendOne));
}
await close();
process.disconnect();
