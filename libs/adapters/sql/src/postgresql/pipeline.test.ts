import { randomBytes } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newMigratedDatabase, onDatabase, postgres } from '../../test/with-postgresql.ts';
import type { Value } from '../sql.ts';
import { OutcomeUnknown } from './lost-commit.ts';
import { Pipelines } from './pipeline.ts';
import { createPool, limits } from './pool.ts';
import { Statements } from './statements.ts';

describe.skipIf(!postgres)('statements that share a connection', () => {
  const statements = new Statements();
  let url: string;
  let pool: Pool;
  let pipelines: Pipelines;

  const opened = (answerMs: number = limits.answerMs) =>
    new Pipelines({ connect: () => new Client(pool.options), connections: 1, answerMs });
  const bound = (text: string, ...values: Value[]) => ({ statement: statements.of(text), values });
  const first = (text: string, ...values: Value[]) =>
    pipelines.first<{ readonly value: unknown }>(bound(text, ...values));
  const backend = async () => (await first('select pg_backend_pid() as value'))?.value;

  beforeEach(async () => {
    url = await newMigratedDatabase();
    pool = createPool(url);
    pipelines = opened();
  });
  afterEach(async () => {
    await pipelines.close();
    await pool.end();
  });

  test('are answered in their order, each with its own row or none', async () => {
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    const rows = await Promise.all(numbers.map((n) => first('select ?::int as value where ?', n, n % 3 > 0)));
    expect(rows).toEqual(numbers.map((n) => (n % 3 > 0 ? { value: n } : undefined)));
  });

  test.for<readonly [type: string, value: Value]>([
    ['text', 'Zahlungen für Straßen 決済 \u{1f6a7}'],
    ['text', ''],
    ['text', null],
    ['varchar', 'a'],
    ['boolean', true],
    ['boolean', false],
    ['smallint', -3],
    ['int', -2_147_483_648],
    ['bigint', 2 ** 53 - 1],
    ['bigint', -(2 ** 53 - 1)],
    ['bigint', -1],
  ])('a %s carries %s there and back', async ([type, value]) => {
    expect(await first(`select ?::${type} as value, 1 as "another"`, value)).toEqual({ value, another: 1 });
  });

  test('bytes come as they are, however many', async () => {
    for (const length of [0, 1, 70_000, 3_000_000]) {
      const bytes = randomBytes(length);
      const row = await first('select ?::bytea as value', bytes);
      expect(bytes.equals(row?.value as Buffer)).toBe(true);
    }
  });

  test('a column of a type that is not read ends the connection, and the next statement opens another', async () => {
    await expect(first('select now() as value')).rejects.toThrow('the type 1184');
    expect(await first('select 1 as value')).toEqual({ value: 1 });
  });

  test('one that fails does not affect those before and behind it, on the same connection', async () => {
    const before = await backend();
    const asked = [1, 0, 2].map((n) => first('select 10 / ?::int as value', n));
    const outcomes = await Promise.allSettled([...asked, first('select 7 as value')]);
    expect(outcomes).toMatchObject([
      { value: { value: 10 } },
      { reason: { code: '22012' } },
      { value: { value: 5 } },
      { value: { value: 7 } },
    ]);
    expect(await first('select 10 / ?::int as value', 5)).toEqual({ value: 2 });
    expect(await backend()).toBe(before);
  });

  const beganAt = (): Promise<unknown> =>
    first('select transaction_timestamp()::text as value').then((row) => row?.value);

  test('prepared reads of a turn are answered at once, and those of another turn by themselves', async () => {
    await beganAt();
    const [one, ...others] = await Promise.all([beganAt(), beganAt(), beganAt()]);
    expect(others).toEqual([one, one]);
    expect(await beganAt()).not.toBe(one);
  });

  test('prepared reads of a turn share a connection, whichever is free', async () => {
    const several = new Pipelines({ connect: () => new Client(pool.options), connections: 3, answerMs: 5_000 });
    const read = () => several.first<{ value: number }>(bound('select pg_backend_pid() as value'));
    const used = async () => new Set((await Promise.all(Array.from({ length: 9 }, read))).map((row) => row?.value));
    // While nothing is prepared each has its own batch.
    expect((await used()).size).toBe(3);
    expect((await used()).size).toBe(1);
    await several.close();
  });

  test('of prepared reads of a turn each that fails does so alone, and those behind it are asked again', async () => {
    const divided = (n: number) => first('select 10 / ?::int as value', n);
    await Promise.all([divided(1), beganAt()]);
    const before = await backend();
    const [begun, ...outcomes] = await Promise.allSettled([beganAt(), ...[1, 0, 2, 0, 5].map(divided), beganAt()]);
    const last = outcomes.pop();
    expect(outcomes).toMatchObject([
      { value: { value: 10 } },
      { reason: { code: '22012' } },
      { value: { value: 5 } },
      { reason: { code: '22012' } },
      { value: { value: 2 } },
    ]);
    expect([begun, last]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(last).not.toEqual(begun);
    expect(await backend()).toBe(before);
  });

  test('what is written in a turn with prepared reads is a transaction of its own', async () => {
    await onDatabase(url, (client) => client.query('create table things (value text primary key)'));
    const insert = bound('insert into things (value) values (transaction_timestamp()::text)');
    const write = () => pipelines.write(async () => [insert], performance.now() + 5_000);
    await beganAt();
    const [before, , after] = await Promise.all([beganAt(), write(), beganAt()]);
    const { rows } = await onDatabase(url, (client) => client.query<{ value: string }>('select value from things'));
    expect(rows).toHaveLength(1);
    expect([before, after]).not.toContain(rows[0]?.value);
  });

  test('an error says nothing of the values', async () => {
    const error = await first('select ?::int as value', 'secret').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '22P02' });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('secret');
  });

  test('a statement that could not be parsed is parsed again', async () => {
    const read = () => first('select value from things');
    const outcomes = await Promise.allSettled([read(), read()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await onDatabase(url, (client) => client.query('create table things as select 1 as value'));
    expect(await Promise.all([read(), read()])).toEqual([{ value: 1 }, { value: 1 }]);
  });

  test('a statement is used on, once the columns of its table have other types', async () => {
    await onDatabase(url, (client) => client.query('create table things as select 1 as value'));
    const read = () => first('select value from things');
    expect(await read()).toEqual({ value: 1 });
    await onDatabase(url, (client) => client.query('alter table things alter value type text'));
    await expect(read()).rejects.toMatchObject({ code: '0A000' });
    expect(await read()).toEqual({ value: '1' });
  });

  test('all that are under way fail when the connection is lost, and the next one opens another', async () => {
    const before = await backend();
    const asked = [
      first('select pg_sleep(30)::text as value'),
      ...[1, 2].map((n) => first('select ?::int as value', n)),
    ];
    const outcomes = Promise.allSettled(asked);
    await onDatabase(url, (client) => client.query('select pg_terminate_backend($1::int)', [before]));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await backend()).not.toBe(before);
  });

  test('all that are under way fail when the oldest takes too long, and the next one opens another', async () => {
    const impatient = opened(300);
    const asked = ['select pg_sleep(30)::text as value', 'select 1 as value'].map((text) =>
      impatient.first(bound(text)),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await impatient.first(bound('select 2 as value'))).toEqual({ value: 2 });
    await impatient.close();
  });

  test('closing waits for those under way', async () => {
    const asked = first('select pg_sleep(0.1)::text as value');
    await backend();
    const slow = first('select pg_sleep(0.1)::text as value');
    await pipelines.close();
    expect(await Promise.all([asked, slow])).toEqual([{ value: '' }, { value: '' }]);
    await expect(first('select 1 as value')).rejects.toThrow('closed');
  });

  test('of those written together all are stored or none', async () => {
    await onDatabase(url, (client) => client.query('create table things (value int primary key)'));
    const write = (...numbers: number[]) =>
      pipelines.write(
        async () => numbers.map((n) => bound('insert into things values (?)', n)),
        performance.now() + limits.answerMs,
      );
    await write(1, 2);
    await expect(write(3, 2, 4)).rejects.toMatchObject({ code: '23505' });
    await write(5);
    const stored = await onDatabase(url, (client) => client.query('select value from things order by value'));
    expect(stored.rows).toEqual([{ value: 1 }, { value: 2 }, { value: 5 }]);
  });

  test('the outcome of those written is unknown if the connection is lost meanwhile', async () => {
    const before = await backend();
    const written = pipelines.write(
      async () => [bound('select pg_sleep(30)::text as value')],
      performance.now() + limits.answerMs,
    );
    const outcome = expect(written).rejects.toThrow(OutcomeUnknown);
    await onDatabase(url, (client) => client.query('select pg_terminate_backend($1::int)', [before]));
    await outcome;
  });
});
