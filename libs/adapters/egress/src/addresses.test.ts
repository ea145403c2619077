import type { LookupAddress } from 'node:dns';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { findFreePort } from '@portico/test-servers';
import { respondWith, startUpstream } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';
import { createAddressPolicy } from './address-policy.ts';
import { checkAddresses, checkRemoteAddress, pinAddresses } from './open-socket.ts';

const privateAddress = `${unreachable}its address is in a private or reserved network: the operator can allow it with CALL_NETWORKS`;
const metadata = `${unreachable}its address is that of a metadata service, which is never allowed`;
const plain = `${unreachable}its URL has no TLS: use https, or the operator can allow its network with CALL_NETWORKS`;

/** Returns a server, and an egress that resolves every name to the next list of addresses. */
const startRebinding = async (...answers: readonly (readonly string[])[]) => {
  const upstream = await startUpstream((socket) => socket.end(respondWith('ok', ['Connection: close'])), {
    host: '0.0.0.0',
  });
  const lookups: string[] = [];
  const lookup = async (hostname: string): Promise<readonly string[]> => {
    lookups.push(hostname);
    return answers[Math.min(lookups.length, answers.length) - 1] ?? [];
  };
  const egress = openEgress({ lookup });
  const send = (hostname = 'rebinding.example'): Promise<string> =>
    outcomeOf(sendTo(egress, `http://${hostname}:${upstream.port}/`));
  return { upstream, lookups, send };
};

describe('a URL with an address', () => {
  test.each([
    ...['127.0.0.2', '127.1.1.1', '0x7f.2', '2130706434', '127.2', '0177.0.0.2', '0x7f000002', '017700000002'],
    ...['0', '0.0.0.0', '10.1', '192.168.257', '[::]', '[::1]', '[::ffff:127.0.0.2]', '[::ffff:7f00:2]'],
    ...['[0:0:0:0:0:ffff:7f00:2]', '[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[::127.0.0.1]'],
    ...['[fe80::1]', '[fd12::1]', '１２７.0.0.2', '127。0。0。2', '%31%32%37.0.0.2'],
  ])('http://%s is refused', async (hostname) => {
    const upstream = await startUpstream((socket) => socket.end(respondWith('ok')), { host: '0.0.0.0' });
    expect(await outcomeOf(sendTo(openEgress(), `http://${hostname}:${upstream.port}/`))).toBe(privateAddress);
    expect(await outcomeOf(sendTo(openEgress(), `https://${hostname}:${upstream.port}/`))).toBe(privateAddress);
    expect(upstream.accepted).toBe(0);
  });

  test.each(['127.0.0.1', '0x7f.1', '2130706433', '127.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'])(
    'http://%s is allowed if 127.0.0.1 is',
    async (hostname) => {
      const upstream = await startUpstream((socket) => socket.write(respondWith('ok')), { host: '0.0.0.0' });
      expect(await outcomeOf(sendTo(openEgress(), `http://${hostname}:${upstream.port}/`))).toBe('200 ok');
    },
  );

  test.each(['169.254.169.254', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]'])(
    'http://%s is refused although every network is allowed',
    async (hostname) => {
      const egress = openEgress({ networks: ['0.0.0.0/0', '::/0'] });
      expect(await outcomeOf(sendTo(egress, `http://${hostname}/latest/meta-data/`))).toBe(metadata);
    },
  );

  test.each(['8.8.8.8', '[2606:4700::1111]'])('http://%s is refused without TLS', async (hostname) => {
    expect(await outcomeOf(sendTo(openEgress(), `http://${hostname}/`))).toBe(plain);
  });
});

describe('a name is resolved once per connection', () => {
  test.each([
    ['to loopback', ['127.0.0.2'], privateAddress],
    ['to a private network', ['10.0.0.1'], privateAddress],
    ['to a metadata service', ['169.254.169.254'], metadata],
    ['to an allowed and a private address', ['127.0.0.1', '10.0.0.1'], privateAddress],
    ['to a private and an allowed address', ['10.0.0.1', '127.0.0.1'], privateAddress],
    ['to an allowed address and loopback in IPv6', ['127.0.0.1', '::1'], privateAddress],
    ['to an allowed address and a metadata service', ['127.0.0.1', '169.254.169.254'], metadata],
    ['to an allowed and a public address, without TLS', ['127.0.0.1', '8.8.8.8'], plain],
    ['to a public address, without TLS', ['8.8.8.8'], plain],
    ['to a text that is no address', ['localhost'], privateAddress],
    ['to nothing', [], `${unreachable}its name has no address: check the address of the API`],
  ])('%s, and is refused', async (_title, addresses, expected) => {
    const { upstream, send } = await startRebinding(addresses);
    expect(await send()).toBe(expected);
    expect(upstream.accepted).toBe(0);
  });

  test('and the connection goes to the address that was checked', async () => {
    const { upstream, lookups, send } = await startRebinding(['127.0.0.1'], ['127.0.0.2']);
    expect(await send()).toBe('200 ok');
    expect([lookups, upstream.accepted]).toEqual([['rebinding.example'], 1]);
  });

  test('and is checked again for the next connection', async () => {
    const { upstream, send } = await startRebinding(['127.0.0.1'], ['127.0.0.2'], ['169.254.169.254']);
    expect([await send(), await send(), await send()]).toEqual(['200 ok', privateAddress, metadata]);
    expect(upstream.accepted).toBe(1);
  });

  test('and the server receives the name with its dot and port', async () => {
    const { upstream, lookups, send } = await startRebinding(['127.0.0.1']);
    expect(await send('API.example.')).toBe('200 ok');
    expect(lookups).toEqual(['api.example.']);
    expect(upstream.requests[0]?.head).toContain(`\r\nhost: api.example.:${upstream.port}\r\n`);
  });

  test('and the next address is used if one does not respond', async () => {
    const upstream = await startUpstream((socket) => socket.write(respondWith('ok')));
    const egress = openEgress({ networks: ['127.0.0.0/8'], lookup: async () => ['127.0.0.3', '127.0.0.1'] });
    expect(await outcomeOf(sendTo(egress, `http://two.example:${upstream.port}/`))).toBe('200 ok');
  });
});

describe('a name of this machine', () => {
  test.each(['localhost', 'localhost.', 'LOCALHOST'])('%s is refused', async (hostname) => {
    const upstream = await startUpstream((socket) => socket.end(respondWith('ok')));
    const outcome = await outcomeOf(sendTo(openEgress({ networks: [] }), `http://${hostname}:${upstream.port}/`));
    // Some resolvers do not know the name with a dot.
    expect(outcome.startsWith(unreachable)).toBe(true);
    expect(upstream.accepted).toBe(0);
  });
});

describe('an address that does not respond', () => {
  test('a port that is closed', async () => {
    const outcome = await outcomeOf(sendTo(openEgress(), `http://127.0.0.1:${await findFreePort()}/`));
    expect(outcome).toBe(`${unreachable}the connection was refused: check that the API runs, and its port`);
  });

  test.each([
    ['ENOTFOUND', 'its name does not exist: check the address of the API'],
    ['EAI_AGAIN', 'its name could not be resolved: check the DNS server'],
  ])('a name that cannot be resolved: %s', async (code, reason) => {
    const lookup = async (): Promise<never> => {
      throw Object.assign(new Error('no address'), { code });
    };
    expect(await outcomeOf(sendTo(openEgress({ lookup }), 'https://missing.example/'))).toBe(`${unreachable}${reason}`);
  });

  test('a name that no resolver knows', async () => {
    const outcome = await outcomeOf(sendTo(openEgress(), 'https://portico.invalid/'));
    expect(outcome).toMatch(/^The API is unreachable: its name (does not exist|could not be resolved): check the /);
  });
});

describe('the address of the socket is checked again', () => {
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const check = (remoteAddress: string | undefined) => (): void =>
    checkRemoteAddress(remoteAddress, ['127.0.0.1'], policy, true);

  test('it is the one that was checked, in any notation', () => {
    expect(check('127.0.0.1')).not.toThrow();
    expect(check('::ffff:127.0.0.1')).not.toThrow();
  });

  test.each([['127.0.0.2'], ['8.8.8.8'], ['10.0.0.1'], ['169.254.169.254'], ['::1'], [undefined]])(
    'and it is not %s',
    (remoteAddress) => {
      expect(check(remoteAddress)).toThrow(unreachable);
    },
  );

  test('an empty list of addresses is refused', () => {
    expect(() => checkAddresses([], policy, true)).toThrow(unreachable);
  });
});

test('the pinned look-up returns the checked addresses, one or all', async () => {
  const addresses = ['127.0.0.1', '::1'];
  const read = (all: boolean) =>
    new Promise((resolve) => {
      pinAddresses(addresses)('any.example', { all }, (...result: readonly unknown[]) => resolve(result));
    });
  const entries: LookupAddress[] = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect([await read(true), await read(false)]).toEqual([
    [null, entries],
    [null, '127.0.0.1', 4],
  ]);
});

test('Node asks a pinned look-up for both kinds of results', async () => {
  const upstream = await startUpstream(() => {});
  for (const autoSelectFamily of [true, false]) {
    const lookup = pinAddresses(['127.0.0.1']);
    const socket = connect({ host: 'any.example', port: upstream.port, lookup, autoSelectFamily });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.destroy();
  }
  expect(upstream.accepted).toBe(2);
});
