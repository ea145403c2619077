import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['127.0.0.1.example.com', '127.1', '128.0.0.1', 'localhost.example.com', '[::2]', '0.0.0.0', ''])(
  '%s is not this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
