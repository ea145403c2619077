import { expect, test } from 'vitest';
import { readRedisUrl } from './redis-address.ts';

test('a URL contains host, port, user, password, database and whether to use TLS', () => {
  expect(readRedisUrl('redis://cache.example')).toEqual({
    host: 'cache.example',
    port: 6379,
    username: '',
    password: '',
    db: 0,
    tls: false,
    label: 'cache.example:6379',
  });
  expect(readRedisUrl('rediss://portico:p%40ss%2Fword@[2001:db8::1]:6390/3')).toEqual({
    host: '2001:db8::1',
    port: 6390,
    username: 'portico',
    password: 'p@ss/word',
    db: 3,
    tls: true,
    label: '[2001:db8::1]:6390',
  });
});

test('an invalid URL is rejected without being quoted', () => {
  for (const url of [
    'redis://:hunter2@',
    'http://:hunter2@cache.example',
    'redis://:hunter2@cache.example:port',
    'redis://:hunter2@cache.example/first',
    'redis://:hunter2%zz@cache.example',
    'hunter2',
    '',
  ]) {
    let problem: unknown;
    try {
      readRedisUrl(url);
    } catch (error) {
      problem = error;
    }
    expect(problem, url).toBeInstanceOf(Error);
    expect(JSON.stringify([String(problem), problem, (problem as Error).cause ?? null])).not.toContain('hunter2');
  }
});
