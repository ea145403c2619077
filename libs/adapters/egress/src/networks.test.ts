import { BlockList } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside, parseAddress, parseNetwork } from './ip-address.ts';
import { parseNetworks } from './networks.ts';

test('networks are separated by commas, spaces and lines', () => {
  const text = ' 10.20.0.0/16,fd12:3456::/32\n192.168.1.7, ::1 ';
  expect(parseNetworks(text)).toEqual(['10.20.0.0/16', 'fd12:3456::/32', '192.168.1.7', '::1']);
  expect(parseNetworks(' , ')).toEqual([]);
});

test.each([
  ...['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/8/8', '10.0.0.1/8', '10/8', '10.0.0/24'],
  ...[
    'fd12::/129',
    'fd12::1/16',
    'fe80::1%eth0',
    'localhost',
    '0x7f.1',
    '10.0.0.0/8.0',
    '10.0.0.0-10.0.0.9',
    '/8',
    '*',
  ],
])('the error for "%s" names it', (network) => {
  expect(() => parseNetworks(`10.0.0.0/8, ${network}`)).toThrow(`"${network}" is not a network: `);
});

test.each([
  ['0.0.0.0', 0n],
  ['1.2.3.4', 0x01020304n],
  ['255.255.255.255', 0xffffffffn],
  ['::', 0n],
  ['::1', 1n],
  ['1::', 1n << 112n],
  ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n],
  ['1::8', (1n << 112n) | 8n],
  ['1:2:3:4:5:6:7::', 0x00010002000300040005000600070000n],
  ['::ffff:1.2.3.4', 0xffff01020304n],
  ['1:2:3:4:5:6:1.2.3.4', 0x00010002000300040005000601020304n],
  ['fe80::1%eth0', (0xfe80n << 112n) | 1n],
])('the bits of %s', (text, bits) => {
  expect(parseAddress(text)?.bits).toBe(bits);
});

test('Node agrees which network contains an address', () => {
  const property = fc.property(
    fc.oneof(fc.ipV4(), fc.ipV6()),
    fc.oneof(fc.ipV4(), fc.ipV6()),
    fc.nat(),
    (address, other, number) => {
      const family = other.includes(':') ? 'ipv6' : 'ipv4';
      const prefixBits = number % (family === 'ipv6' ? 129 : 33);
      const blockList = new BlockList();
      blockList.addSubnet(other, prefixBits, family);
      const parsedOther = parseAddress(other);
      if (!parsedOther) throw new Error(`${other} was not parsed`);
      const hostBits = BigInt((family === 'ipv6' ? 128 : 32) - prefixBits);
      const network = {
        address: { ...parsedOther, bits: (parsedOther.bits >> hostBits) << hostBits },
        prefixBits,
      };
      for (const text of [address, other]) {
        const parsedAddress = parseAddress(text);
        const textFamily = text.includes(':') ? 'ipv6' : 'ipv4';
        // Node also finds IPv4 addresses in their mapped form, and this function does not.
        if (!parsedAddress || textFamily !== family) continue;
        expect(isInside([network], parsedAddress)).toBe(blockList.check(text, textFamily));
      }
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test('a network is an address with the length of its prefix', () => {
  expect(parseNetwork('10.0.0.0/8')).toEqual({ address: { family: 4, bits: 0x0a000000n }, prefixBits: 8 });
  expect(parseNetwork('::1')).toEqual({ address: { family: 6, bits: 1n }, prefixBits: 128 });
});
