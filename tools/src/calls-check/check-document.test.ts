import { expect, test } from 'vitest';
import { checkDocument } from './check-document.ts';
import { factNames, type FactName } from './checks.ts';
import { parseJsonText, type ObjectValue } from './json-text.ts';
import { describe, type DescribedOperation } from './product.ts';
import { formatReport, isClean, summarize } from './report.ts';

const documentText = `{
  "openapi": "3.0.3", "info": { "title": "Parcels", "version": "1" },
  "servers": [{ "url": "https://elsewhere.example" }],
  "security": [{ "bearer": [] }],
  "paths": { "/parcels/{id}?fast=1#now": {
    "servers": [{ "url": "https://user:secret@{region}.parcels.example/v1/", "variables": { "region": { "default": "eu" } } }],
    "parameters": [{ "name": "limit", "in": "query" }, { "name": "X-Trace", "in": "header", "required": true }],
    "post": {
      "parameters": [{ "$ref": "#/components/parameters/limit" }, { "$ref": "parameters.yaml#/zone" }],
      "security": [{ "key": [], "oauth": ["write"] }, { "odd": [] }],
      "requestBody": { "required": true, "content": { "application/*": {}, "text/json": {}, "application/json": {
        "schema": { "$ref": "#/components/schemas/Parcel" } } } },
      "responses": { "200": { "description": "a label", "content": { "application/pdf": {} } } } } } },
  "components": {
    "parameters": { "limit": { "name": "limit", "in": "query", "required": true, "schema": { "type": "integer", "maximum": 9223372036854775807 } } },
    "schemas": {
      "Parcel": { "allOf": [ { "$ref": "#/components/schemas/Record" },
        { "required": ["weight"], "properties": { "weight": { "type": "object", "required": ["grams"], "properties": { "grams": { "minimum": 0.10 } } } } } ] },
      "Record": { "required": ["id"], "properties": { "id": { "readOnly": true }, "note": { "$ref": "#/components/schemas/Parcel" } } } },
    "securitySchemes": {
      "bearer": { "type": "http", "scheme": "bearer" },
      "key": { "type": "apiKey", "in": "header", "name": "X-Key" },
      "oauth": { "type": "oauth2", "flows": { "clientCredentials": { "tokenUrl": "https://id.example/token", "scopes": { "write": "" } } } },
      "odd": { "type": "http", "scheme": "hmac" } } } }`;

const url = 'https://eu.parcels.example/v1/parcels/{id}?fast=1';
const bodySchema = `{ "type": "object", "required": ["weight"], "properties": { "weight": { "type": "object", "required": ["grams"],
  "properties": { "grams": { "minimum": 0.10 } } } } }`;
const curl = `curl -X POST 'https://eu.parcels.example/v1/parcels/ID?fast=1&limit=1' -H 'X-Trace: a' -H 'X-Key: KEY' -H 'Authorization: Bearer TOKEN' -H 'Accept: application/pdf' -H 'Content-Type: application/json' -d '{"weight":{"grams":1}}'`;

const sliceText = `{ "method": "POST", "url": "${url}",
  "authentication": [
    [{ "scheme": "key", "type": "apiKey", "in": "header", "name": "X-Key", "scopes": [], "token_url": null },
     { "scheme": "oauth", "type": "oauth2", "in": "header", "name": "Authorization", "scopes": ["write"], "token_url": "https://id.example/token" }],
    [{ "scheme": "odd", "type": "http", "in": null, "name": null, "scopes": [], "token_url": null }]],
  "parameters": [{ "name": "id", "in": "path", "required": true }, { "name": "X-Trace", "in": "header", "required": true },
    { "name": "limit", "in": "query", "required": true, "schema": { "maximum": 9223372036854775807 } }],
  "request_body": { "required": true, "content_type": "application/json", "schema": ${bodySchema} },
  "accept": "application/pdf",
  "truncated": [{ "pointer": "/parameters/3", "reason": "external" }],
  "curl": ${JSON.stringify(curl)} }`;

const toolText = `{ "name": "parcels", "description": "Adds a parcel. One parameter is in another file.",
  "request": { "method": "POST", "url": "${url}", "content_type": "application/json", "accept": "application/pdf" },
  "input_schema": { "type": "object", "required": ["id", "X_Trace", "limit", "weight"], "properties": {
    "id": { "x-portico-in": "path" }, "X_Trace": { "x-portico-in": "header", "x-portico-name": "X-Trace" },
    "limit": { "x-portico-in": "query" },
    "weight": { "x-portico-in": "body", "type": "object", "required": ["grams"], "properties": { "grams": { "minimum": 0.10 } } } } } }`;

/** Describes the operation correctly, after replacing a text in one view. */
const describeWith =
  (view: 'slice' | 'tool' | 'none', text = '', replacement = '') =>
  (): readonly DescribedOperation[] => {
    const replace = (name: string, source: string): ObjectValue => {
      if (name === view) expect(source).toContain(text);
      return parseJsonText(name === view ? source.replace(text, () => replacement) : source) as ObjectValue;
    };
    const fullSlice = parseJsonText(sliceText) as ObjectValue;
    const tool = { ...replace('tool', toolText) };
    const sampleRequest = {
      method: 'POST',
      url: 'https://eu.parcels.example/v1/parcels/7?fast=1&limit=1',
      headers: [
        ['X-Trace', 'a'],
        ['Accept', 'application/pdf'],
        ['Content-Type', 'application/json'],
      ] as const,
      body: { text: '{"weight":{"grams":1}}' },
      credentials: [],
      curl: null,
      warnings: [],
    };
    return [
      {
        method: 'POST',
        path: '/parcels/{id}?fast=1#now',
        slice: replace('slice', sliceText),
        fullSlice,
        tool,
        sampleRequest,
      },
    ];
  };

test('a right description does not differ in any fact', () => {
  const result = checkDocument(documentText, factNames, describeWith('none'));
  expect(result.differences).toEqual([]);
  expect([...result.compared.values()]).toEqual(factNames.map(() => 1));
});

const sabotages: readonly (readonly [fact: FactName, view: 'slice' | 'tool', text: string, replacement: string])[] = [
  ['method', 'slice', '"method": "POST"', '"method": "PUT"'],
  ['method', 'slice', 'curl -X POST', 'curl -X PUT'],
  ['url', 'slice', '"url": "https://eu.parcels.example', '"url": "https://elsewhere.example'],
  ['url', 'slice', `'https://eu.parcels.example`, `'https://elsewhere.example`],
  ['url', 'tool', '{id}?fast=1', '{id}?fast=1#now'],
  ['security', 'slice', '"scheme": "oauth", ', ''],
  ['credentials', 'slice', '"name": "X-Key"', '"name": "X-Other"'],
  ['credentials', 'slice', '"scheme": "odd", "type": "http"', '"scheme": "odd", "type": "none"'],
  ['scopes', 'slice', '["write"]', '[]'],
  ['scopes', 'slice', 'https://id.example/token', 'https://id.example/other'],
  ['required-parameters', 'slice', '"in": "header", "required": true', '"in": "header"'],
  ['required-parameters', 'slice', '&limit=1', ''],
  ['required-parameters', 'tool', '"X_Trace", "limit"', '"X_Trace"'],
  ['required-members', 'slice', '"required": ["grams"],', ''],
  ['required-members', 'slice', '-d \'{\\"weight\\":{\\"grams\\":1}}\'', "-d '{}'"],
  ['required-members', 'tool', '"limit", "weight"', '"limit"'],
  ['media-type', 'slice', '"content_type": "application/json"', '"content_type": "text/json"'],
  ['media-type', 'tool', '"content_type": "application/json"', '"content_type": "application/*"'],
  ['accept', 'tool', '"accept": "application/pdf"', '"accept": null'],
  ['accept', 'slice', " -H 'Accept: application/pdf'", ''],
  ['read-only', 'slice', '"properties": { "weight"', '"properties": { "id": {}, "weight"'],
  ['read-only', 'tool', '"required": ["grams"],', '"required": ["grams"], "readOnly": true,'],
  ['numbers', 'slice', '9223372036854775807', '9223372036854776000'],
  ['numbers', 'tool', '0.10', '0.1'],
  ['external', 'slice', '"reason": "external"', '"reason": "cycle"'],
  ['external', 'tool', ' One parameter is in another file.', ''],
];

test.for(sabotages)('the fact %s differs if a %s has a wrong value: %s', ([fact, view, text, replacement]) => {
  const { differences } = checkDocument(documentText, factNames, describeWith(view, text, replacement));
  expect([...new Set(differences.map((difference) => difference.fact))]).toContain(fact);
});

test('each fact has a case', () => {
  const facts = new Set(sabotages.map(([fact]) => fact));
  expect(factNames.filter((fact) => !facts.has(fact))).toEqual(['optional-parameters']);
});

test('a missing optional parameter is a difference unless the slice lists it as cut', () => {
  const document = documentText.replace(
    '"required": true, "schema": { "type": "integer"',
    '"schema": { "type": "integer"',
  );
  const limit =
    ',\n    { "name": "limit", "in": "query", "required": true, "schema": { "maximum": 9223372036854775807 } }';
  const differencesOf = (facts: readonly FactName[], describeAll: () => readonly DescribedOperation[]) =>
    checkDocument(document, facts, describeAll).differences.map(({ view }) => view);
  const facts = ['optional-parameters'] as const;
  expect(differencesOf(facts, describeWith('slice', limit, ''))).toEqual(['slice']);
  const cut = sliceText.replace(limit, '').replace('/parameters/3', '/parameters/-');
  const describeCut = () =>
    describeWith('none')().map((described) => ({ ...described, slice: parseJsonText(cut) as ObjectValue }));
  expect(differencesOf(facts, describeCut)).toEqual([]);
});

test('the product describes exactly the operations of a document', () => {
  expect([...describe(documentText, {})].map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /parcels/{id}?fast=1#now',
  ]);
  expect(() => checkDocument(documentText, factNames, () => [])).toThrow('does not describe POST /parcels');
});

const report = (accepted: readonly FactName[]) => {
  const result = checkDocument(documentText, factNames, describeWith('tool', '"method": "POST"', '"method": "PUT"'));
  const entries = accepted.map((fact) => ({
    document: 'parcels',
    operation: 'POST /parcels/{id}?fast=1#now',
    fact,
    reason: 'a test',
  }));
  return summarize([{ document: 'parcels', ...result }], factNames, entries);
};

test('an accepted difference passes, and one that is gone fails', () => {
  expect(isClean(report([]))).toBe(false);
  expect(isClean(report(['method']))).toBe(true);
  expect(isClean(report(['method', 'url']))).toBe(false);
  expect(formatReport(report(['method', 'url']))).toContain('lists a difference that is gone: parcels POST');
  expect(formatReport(report([]))).toContain(
    'parcels POST /parcels/{id}?fast=1#now (tool)\n    document: POST\n    view:     PUT',
  );
});

test('numbers are read and written as the document writes them', () => {
  const text = '{"a":[1.10,9223372036854775807,-0,1e400]}';
  expect(JSON.stringify(parseJsonText(text))).toBe(text);
});
