import { expect, test } from 'vitest';
import { formatVariables, parseVariables } from './server-variables.ts';

test.each([
  ['', {}],
  ['region=eu', { region: 'eu' }],
  [' region = eu \r\n\n tier=\n', { region: 'eu', tier: '' }],
  ['path=/a=b', { path: '/a=b' }],
])('the text %j has these variables', (text, variables) => {
  expect(parseVariables(text)).toEqual({ variables, wrongLine: null });
});

test.each(['region', '=eu', ' =eu'])('the line %j is wrong', (line) => {
  expect(parseVariables(`a=b\n${line}`).wrongLine).toBe(line);
});

test('formatted variables are parsed as the same', () => {
  const variables = { region: 'eu', tier: '', path: '/a=b' };
  expect(parseVariables(formatVariables(variables)).variables).toEqual(variables);
});
