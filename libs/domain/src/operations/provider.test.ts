import { expect, test } from 'vitest';
import { providerNamesOf } from './provider.ts';

test.each([
  ['https://api.digitalocean.com', ['digitalocean']],
  ['https://checkout-test.adyen.com/v72', ['adyen']],
  ['https://api.surevoip.co.uk:8443/v1?x=1', ['surevoip']],
  ['//www.ticketmaster.com/discovery/v2', ['ticketmaster']],
  ['https://api.getpostman.com', ['getpostman', 'postman']],
  ['https://greipapi.com', ['greipapi', 'greip']],
  ['https://{your-domain}.atlassian.net', ['atlassian']],
])('the provider names of %s are %j', (baseUrl, names) => {
  expect(providerNamesOf(baseUrl)).toEqual(names);
});

test.each([
  '/',
  '',
  '/api/v1',
  'https://localhost:3000',
  '{protocol}://{hostname}/api',
  'https://10.0.0.1/x',
  'http://x.y',
])('%j has no provider name', (baseUrl) => {
  expect(providerNamesOf(baseUrl)).toEqual([]);
});
