import { expect, test } from 'vitest';
import { allowsPlainHost } from './plain-hosts.ts';

test('without a network, no host is allowed without TLS', () => {
  for (const host of ['10.0.0.1', 'hooks.internal', '[fd00::1]', '8.8.8.8'])
    expect(allowsPlainHost([], host)).toBe(false);
});

test('only an address in a network is allowed without TLS', () => {
  const networks = ['10.20.0.0/16', 'fd00:1::/64'];
  for (const host of ['10.20.0.0', '10.20.255.255', '[fd00:1::7]']) expect(allowsPlainHost(networks, host)).toBe(true);
  for (const host of ['10.21.0.0', '10.19.255.255', '127.0.0.1', '8.8.8.8', '[fd00:2::7]', '[::1]'])
    expect(allowsPlainHost(networks, host)).toBe(false);
});

test('a metadata service is not allowed, even if its network is', () => {
  expect(allowsPlainHost(['169.254.0.0/16'], '169.254.169.254')).toBe(false);
  expect(allowsPlainHost(['169.254.0.0/16'], '169.254.1.1')).toBe(true);
});

test('with a network, any name is allowed, because its addresses are checked for each connection', () => {
  expect(allowsPlainHost(['10.20.0.0/16'], 'hooks.internal')).toBe(true);
});
