import type { CallOptions } from '../client.ts';
import type { Endpoint } from './endpoint.ts';

const jsonHeaders = ['Content-Type', 'application/json'];

/** Bodies that every endpoint rejects. */
export const malformedBodies: Readonly<Record<string, CallOptions>> = {
  'malformed JSON': { raw: '{"full_name": ', headers: jsonHeaders },
  'a JSON array': { raw: '[]', headers: jsonHeaders },
  'a JSON string': { raw: '"{}"', headers: jsonHeaders },
  'the JSON null': { raw: 'null', headers: jsonHeaders },
  'invalid UTF-8': { raw: Buffer.from('7b2261223a22ff227d', 'hex'), headers: jsonHeaders },
  'JSON nested too deeply': { raw: `{"a":${'['.repeat(101)}${']'.repeat(101)}}`, headers: jsonHeaders },
  'a different media type': { raw: '{}', headers: ['Content-Type', 'text/plain'] },
  'no media type': { raw: '{}' },
};

/** Rules of grants that are not valid. */
export const badRules: readonly object[] = [
  { operations: 'none' },
  { operations: null },
  { operations: 7 },
  ...['operations', 'except', 'ask'].flatMap((part) => [
    { [part]: ['getForecast'] },
    { [part]: [7] },
    { [part]: ['A'.repeat(16)] },
    { [part]: ['a'.repeat(15)] },
    { [part]: Array.from({ length: 1_001 }, () => 'a'.repeat(16)) },
  ]),
  { except: 'all' },
  { ask: null },
];

/** Returns the bodies that an endpoint rejects; none if the endpoint does not accept a body. */
export const rejectedBodiesOf = ({ badBodies }: Endpoint): readonly CallOptions[] =>
  badBodies ? [...badBodies.map((json) => ({ json })), ...Object.values(malformedBodies)] : [];
