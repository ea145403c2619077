import { setTimeout as pause } from 'node:timers/promises';
import { anEntry, noEffects } from '@portico/contracts';
import type { AuditEntry } from '@portico/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeDialects, type RunSql } from '../test/dialects.ts';
import type { SqlStores } from './index.ts';

const entriesIn = async (run: RunSql, table: string): Promise<readonly string[]> =>
  (await run<{ id: string }>(`select id from ${table} order by seq`, [])).map(({ id }) => id);

const append = ({ stores }: SqlStores, entries: readonly AuditEntry[]) =>
  Promise.all(entries.map((entry) => stores.audit.append(entry, null)));

const some = (count: number, facts: Partial<AuditEntry> = {}) => Array.from({ length: count }, () => anEntry(facts));
const idsOf = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

describeDialects(({ withPlace }) => {
  test('entries of one instant stand in the order in which they came, whatever wrote them', () =>
    withPlace(async (open) => {
      const opened = await open();
      // Their ids stand the other way round, so that nothing else puts them in this order.
      const entries = some(6, { instant: 5 }).toReversed();
      for (const [i, entry] of entries.entries()) {
        if (i % 2) await append(opened, [entry]);
        else await opened.stores.embeddingJobs.enqueue({ ...noEffects, entries: [entry] });
        // A reader in between files some of them.
        if (i === 2) await opened.stores.audit.page({ source: 'all' }, 0, 1);
      }
      const page = await opened.stores.audit.page({ source: 'all' }, 0, 10);
      expect(idsOf(page.entries)).toEqual(idsOf(entries).toReversed());
      await opened.close();
    }));

  test('what a process left behind without filing it is there for the next one', () =>
    withPlace(async (open, run) => {
      await (await open()).close();
      await run(
        `insert into audit_arrivals (seq, id, source, message, timestamp, instant, received_at)
          values (4, 'one', 'client', '{}', '', 5, 5), (9, 'two', 'system', '{}', '', 5, 5)`,
      );
      const next = await open();
      const [entry] = some(1, { instant: 5 });
      if (entry) await append(next, [entry]);
      const { entries, total } = await next.stores.audit.page({ source: 'all' }, 0, 10);
      expect(total).toBe(3);
      expect(new Set(idsOf(entries))).toEqual(new Set(['one', 'two', entry?.id]));
      const exported: string[] = [];
      for await (const { id } of next.stores.audit.export({ source: 'system' })) exported.push(id);
      expect(exported).toEqual(['two']);
      expect(await entriesIn(run, 'audit_arrivals')).toEqual([]);
      await next.close();
    }));

  test('what is filed counts on the day of its instant in UTC, before 1970 too', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      await append(opened, [
        ...some(1, { instant: -1 }),
        ...some(2, { instant: 0, source: 'system' }),
        ...some(3, { instant: 86_399_999 }),
        ...some(4, { instant: 86_400_000 }),
      ]);
      await opened.close();
      const days = await run('select scope, day, entries from audit_days order by scope, day', []);
      expect(days.map((row) => Object.values(row as object).join(' '))).toEqual([
        'all -1 1',
        'all 0 5',
        'all 1 4',
        'client -1 1',
        'client 0 3',
        'client 1 4',
        'system 0 2',
      ]);
    }));

  test('what arrived is exported and pruned as what was filed', () =>
    withPlace(async (open) => {
      const opened = await open();
      const entries = some(300, { instant: 5, receivedAt: 5 });
      await append(opened, entries);
      const exported: string[] = [];
      for await (const { id } of opened.stores.audit.export({ source: 'all' })) exported.push(id);
      expect(exported).toHaveLength(300);
      await append(opened, some(10, { receivedAt: 6 }));
      expect(await opened.stores.audit.prune(7, 1_000)).toBe(310);
      expect((await opened.stores.audit.page({ source: 'all' }, 0, 1)).total).toBe(0);
      await opened.close();
    }));

  test.for([0, 1, 255, 256, 257, 319, 320, 321, 640, 641])(
    '%i entries are filed when the database is closed',
    (count) =>
      withPlace(async (open, run) => {
        const opened = await open();
        const entries = some(count);
        await append(opened, entries);
        await opened.close();
        expect(await entriesIn(run, 'audit_arrivals')).toEqual([]);
        expect(new Set(await entriesIn(run, 'audit_entries'))).toEqual(new Set(idsOf(entries)));
      }),
  );

  test('as many as are filed at once do not wait for the next second', () =>
    withPlace(async (open, run) => {
      vi.useFakeTimers({ toFake: ['setInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const opened = await open();
      await append(opened, some(256));
      while ((await entriesIn(run, 'audit_entries')).length < 256) await pause(50);
      await opened.close();
    }));

  test('nobody has to read entries for them to be filed', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      await append(opened, some(3));
      await opened.stores.embeddingJobs.enqueue({ ...noEffects, entries: some(1) });
      while ((await entriesIn(run, 'audit_entries')).length < 4) await pause(50);
      await opened.close();
    }));
});
