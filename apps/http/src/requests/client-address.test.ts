import { describe, expect, test } from 'vitest';
import type { TrustedProxies } from '../settings.ts';
import { createClientAddressReader } from './client-address.ts';

describe('the address for counting a request', () => {
  test.each<[TrustedProxies, string | undefined, string | undefined, string]>([
    // Without trusted proxies, only the socket's address counts.
    [null, '198.51.100.1', '192.0.2.1', '198.51.100.1'],
    [[], '198.51.100.1', '192.0.2.1', '198.51.100.1'],
    [0, '198.51.100.1', '192.0.2.1', '198.51.100.1'],
    [null, undefined, undefined, ''],
    // A trusted proxy adds its client's address; the right-most untrusted entry counts, regardless of the entries
    // before it.
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, 10.9.9.9', '192.0.2.1'],
    [['10.0.0.0/8'], '198.51.100.1', '192.0.2.1', '198.51.100.1'],
    [['10.0.0.1'], '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    [['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    // An entry that is not an address is ignored: the proxy that forwarded it counts.
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, unknown', '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
    // Ports and brackets, as some proxies write them.
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    [['10.0.0.0/8'], '10.0.0.1', '[2001:db8:1:2:3::4]:4711', '2001:db8:1:2::/64'],
    // Proxies can be trusted by their number.
    [1, '10.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [2, '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    [9, '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    // IPv6 addresses are counted by network, IPv4-mapped ones as IPv4.
    [null, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    [null, '2001:db8::1', undefined, '2001:db8:0:0::/64'],
    [null, '2001:0DB8:0:0:ffff::1', undefined, '2001:db8:0:0::/64'],
    [null, '::1', undefined, '0:0:0:0::/64'],
    [null, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    [null, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [['fd00::/8'], 'fd00::1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ])(
    'with the trusted proxies %j, %s forwarding for %s is counted as %s',
    (trustedProxies, socketAddress, forwardedFor, expected) => {
      expect(createClientAddressReader(trustedProxies)(socketAddress, forwardedFor)).toBe(expected);
    },
  );

  test.each(['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x', 'fd00::/129', ''])('%j is not a valid proxy', (range) => {
    expect(() => createClientAddressReader([range])).toThrow(RangeError);
  });
});
