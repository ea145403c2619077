import { pino, type Level } from 'pino';
import { expect, test } from 'vitest';
import { createRequestLines, type RequestFacts } from './request-log.ts';

const kind = { method: 'GET', route: '/api/collections/:collection_id', status: 200 };
const plain: RequestFacts = {
  ms: 1.25,
  request_id: 'abc.1-2_3',
  profile_id: null,
  service_account_id: null,
  trace_id: null,
  unreadable: null,
  aborted: false,
};

/** The lines that a logger of this level writes, without the time, which differs. */
const gathering = (level: Level | 'silent') => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line.replace(/"time":\d{13},/, '"time":0,')) };
  return { lines, logger: pino({ level, name: 'portico' }, destination) };
};

test.each([
  ['of nobody', {}],
  ['of a client', { profile_id: '7b0c52c1-0000-4000-8000-000000000000' }],
  ['of a service account', { service_account_id: '7b0c52c1-0000-4000-8000-000000000001' }],
  ['that could not be parsed', { unreadable: 'HPE_INVALID_HEADER_TOKEN' }],
  ['whose answer was cut off', { aborted: true }],
  ['in a trace', { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', profile_id: 'a' }],
])('the line of a request %s is the one that the logger writes', (_of, known) => {
  const { lines, logger } = gathering('info');
  const present = Object.fromEntries(
    Object.entries({ ...plain, ...known }).filter(([, value]) => value !== null && value !== false),
  );
  createRequestLines(logger, kind)('info', { ...plain, ...known });
  logger.child(kind).info(present, 'request');
  expect(lines).toHaveLength(2);
  expect(lines[0]?.replace('"ms":1.250', '"ms":1.25')).toBe(lines[1]);
});

test.each([
  [0, '0.000'],
  [0.0004, '0.000'],
  [0.0006, '0.001'],
  [0.999_6, '1.000'],
  [12.345_4, '12.345'],
  [123_456.789, '123456.789'],
])('%d ms are written as %s', (ms, text) => {
  const { lines, logger } = gathering('info');
  createRequestLines(logger, kind)('info', { ...plain, ms });
  expect(lines[0]).toContain(`"ms":${text},`);
});

test('a line below the level is not written', () => {
  const { lines, logger } = gathering('info');
  const write = createRequestLines(logger, kind);
  write('debug', plain);
  expect(lines).toEqual([]);
  const debugging = gathering('debug');
  createRequestLines(debugging.logger, kind)('debug', plain);
  expect(debugging.lines).toHaveLength(1);
});

test('what a kind says is escaped', () => {
  const { lines, logger } = gathering('info');
  createRequestLines(logger, { ...kind, route: '/a"b' })('info', plain);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route: '/a"b', msg: 'request' });
});
