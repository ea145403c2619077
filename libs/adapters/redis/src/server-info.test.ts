import { expect, test } from 'vitest';
import { parseServerInfo, listServerWarnings } from './server-info.ts';

test('version and policy are read from INFO', () => {
  const info =
    '# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nos:Linux\r\n\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\nrole:master\r\n';
  expect(parseServerInfo(info)).toEqual({
    version: '7.0.15',
    maxmemoryPolicy: 'allkeys-lru',
    role: 'master',
    mode: 'standalone',
  });
  expect(parseServerInfo('')).toEqual({ version: null, maxmemoryPolicy: null, role: null, mode: null });
});

test('a version before 6.2 causes a warning, a newer one does not', () => {
  const causesWarning = (version: string) =>
    listServerWarnings({ mode: null, version, maxmemoryPolicy: 'noeviction' }).length > 0;
  expect(['2.8.0', '5.0.14', '6.0.16', '6.1.99'].filter(causesWarning)).toHaveLength(4);
  expect(['6.2.0', '6.2.14', '7.0.15', '8.4.0', '10.0.0'].filter(causesWarning)).toEqual([]);
});

test('each policy that evicts causes a warning', () => {
  expect(listServerWarnings({ mode: null, version: null, maxmemoryPolicy: 'volatile-ttl' })).toEqual([
    expect.stringContaining('volatile-ttl'),
  ]);
  expect(listServerWarnings({ mode: null, version: null, maxmemoryPolicy: 'noeviction' })).toEqual([]);
  expect(listServerWarnings({ mode: null, version: null, maxmemoryPolicy: null })).toEqual([]);
});

test('a Sentinel and a node of a Cluster cause a warning that suggests an alternative', () => {
  const warningsOf = (mode: string) => listServerWarnings({ mode, version: null, maxmemoryPolicy: null });
  expect(warningsOf('standalone')).toEqual([]);
  for (const [mode, name] of Object.entries({ sentinel: 'Sentinel', cluster: 'Cluster' }))
    expect(warningsOf(mode)).toEqual([expect.stringMatching(new RegExp(`${name}.*: name one address .* primary`))]);
});
