/** Opens the file. For each message, reports whether the database is ready and accepts an entry, and the warnings. */
import { anEntry, recordLog } from '@portico/contracts';
import { openSqlStores } from '../src/index.ts';

const [file = ''] = process.argv.slice(2);
const log = recordLog();
const { stores, probe } = await openSqlStores({ kind: 'sqlite', file }, { log });

const isFulfilled = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

const report = async (): Promise<void> => {
  // More than fits in the free pages of the file.
  const isTaken = await isFulfilled(stores.audit.append(anEntry({ message: 'x'.repeat(100_000) }), null));
  const isReadable = await isFulfilled(stores.audit.readPage({ source: 'all' }, 0, 1));
  process.send?.({ isTaken, isReadable, isReady: await isFulfilled(probe.check()), warnings: log.messages('warn') });
};

process.on('message', () => void report());
process.send?.('open');
