import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';

const publicAddresses = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::1', '100.128.0.1'];

const privateAddresses = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.0', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.1.2.3'],
  ...['169.254.0.1', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::2', '::7f00:1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1'],
  ...[
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::ffff:0:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
  ],
  ...['64:ff9b:1::1', '64:ff9b:1:7f00:0:100::', '100::1', '2001::1', '2001:0:1::1', '2001:10::1', '2001:20::1'],
  ...['2001:db8::1', '2002::1', '2002:7f00:1::', '2002:808:808::', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1'],
  ...['fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2a00::5efe:127.0.0.1'],
  ...['2a00::200:5efe:10.0.0.1', 'not an address', '', '127.1', '0x7f000001', '010.0.0.1'],
];

const metadataAddresses = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'FD00:0EC2:0:0:0:0:0:254'],
  ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::ffff:0:169.254.169.254', '::169.254.169.254'],
  ...['64:ff9b::169.254.169.254', '64:ff9b:1::169.254.169.254', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:a9:fe:a9fe::'],
  ...['64:ff9b:1:0:a9:fea9:fe00:0', '2002:a9fe:a9fe::', '2002:a83f:8110::1', '2001:0:a9fe:a9fe::1'],
  ...['2001:0:102:304:0:0:5601:5601', '2a00::5efe:169.254.169.254', 'fd00:ec2::254%eth0'],
];

const everything = createAddressPolicy(['0.0.0.0/0', '::/0']);
const nothing = createAddressPolicy([]);

describe('an address is classified', () => {
  test.each(publicAddresses)('%s is allowed with TLS', (address) => {
    expect([nothing(address, true), nothing(address, false)]).toEqual([null, 'plain']);
    expect([everything(address, true), everything(address, false)]).toEqual([null, null]);
  });

  test.each(privateAddresses)('"%s" is refused', (address) => {
    expect([nothing(address, true), nothing(address, false)]).toEqual(['private', 'private']);
  });

  test.each(privateAddresses.filter((address) => /^[\da-f:]*$/.test(address) && address !== ''))(
    '%s is allowed if its network and that of its IPv4 address are named',
    (address) => {
      expect([everything(address, true), everything(address, false)]).toEqual([null, null]);
    },
  );

  test.each(metadataAddresses)('%s is refused although every network is allowed', (address) => {
    expect([everything(address, true), everything(address, false)]).toEqual(['metadata', 'metadata']);
  });
});

describe('networks that the operator allows', () => {
  test.each([
    [['10.0.0.0/8'], '10.1.2.3', null],
    [['10.0.0.0/8'], '11.0.0.0', 'plain'],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', null],
    [['10.0.0.0/8'], '::ffff:11.1.2.3', 'private'],
    [['10.1.2.3'], '10.1.2.3', null],
    [['10.1.2.3'], '10.1.2.2', 'private'],
    [['10.1.2.3'], '10.1.2.4', 'private'],
    [['::1'], '::1', null],
    [['::1'], '127.0.0.1', 'private'],
    [['127.0.0.0/8'], '::1', 'private'],
    [['fd12::/16'], 'fd12::1', null],
    [['fd12::/16'], 'fd13::1', 'private'],
    [['fe80::/10'], 'fe80::1%eth0', null],
    [['64:ff9b::/96'], '64:ff9b::8.8.8.8', null],
    [['64:ff9b::/96'], '64:ff9b::10.0.0.1', 'private'],
    [['64:ff9b::/96', '10.0.0.0/8'], '64:ff9b::10.0.0.1', null],
    [['10.0.0.0/8'], '64:ff9b::10.0.0.1', 'private'],
    [['2002::/16'], '2002:7f00:1::', 'private'],
    [['::ffff:0:0/96'], '::ffff:8.8.8.8', null],
    [['::ffff:0:0/96'], '::ffff:10.0.0.1', 'private'],
    [['0.0.0.0/0'], 'fd12::1', 'private'],
    [['::/0'], '10.0.0.1', 'private'],
    [['169.254.169.254'], '169.254.169.254', 'metadata'],
    [['fd00:ec2::254'], 'fd00:ec2::254', 'metadata'],
  ] as const)('with %s, a plain connection to %s is %s', (networks, address, refusal) => {
    expect(createAddressPolicy(networks)(address, false)).toBe(refusal);
  });
});
