import { describe, expect, test } from 'vitest';
import { describeCall, hasCases, headerOf, readCase, textOf } from './described-call.ts';

describe.skipIf(!hasCases)('a body does not change the method', () => {
  const text = hasCases ? readCase('03-get-with-body/openapi.yaml') : '';

  test('GET and DELETE are sent with their body', () => {
    const get = describeCall(text, 'GET /search');
    expect(get.curl.method).toBe('GET');
    expect(get.readCurlJson()).toEqual({ q: expect.any(String) as string });
    expect(get.prepare({ q: 'x' })).toMatchObject({ method: 'GET', body: { text: '{"q":"x"}' } });
    const remove = describeCall(text, 'DELETE /search');
    expect(remove.curl.method).toBe('DELETE');
    expect(remove.prepare({ body: [1, 2] })).toMatchObject({ method: 'DELETE', body: { text: '[1,2]' } });
  });

  test('the curl line of HEAD has no body', () => {
    expect(describeCall(text, 'HEAD /search').curl).toMatchObject({ method: 'HEAD', body: null });
  });
});

describe.skipIf(!hasCases)('a request has no read-only members, and a response no write-only ones', () => {
  test('in all views of POST /books', () => {
    const call = describeCall(readCase('04-readonly-required/openapi.yaml'), 'POST /books');
    const { schema } = call.slice.request_body;
    expect(schema.required).toEqual(['title', 'shelf']);
    expect(Object.keys(schema.properties).sort()).toEqual(['pin', 'shelf', 'title']);
    expect(Object.keys(schema.properties['shelf']?.properties ?? {})).toEqual(['label']);
    expect(call.tool.input_schema.required).toEqual(['title', 'shelf']);
    expect(Object.keys(call.tool.input_schema.properties).sort()).toEqual(['pin', 'shelf', 'title']);
    expect(call.tool.input_schema.properties['shelf']).toMatchObject({ required: ['label'] });
    expect(call.readCurlJson()).toMatchObject({ title: expect.any(String) as string });
    expect(call.curl.body).not.toMatch(/created_at|number|"id"/);
    const responseNames = Object.keys(call.fullSlice.responses['201']?.schema.properties ?? {});
    expect(responseNames.sort()).toEqual(['created_at', 'id', 'shelf', 'title']);
  });
});

describe.skipIf(!hasCases)('forms and files are written as OpenAPI says', () => {
  const text = hasCases ? readCase('09-multipart/openapi.yaml') : '';
  const fieldsOf = (operation: string) => describeCall(text, operation).curl.fields;

  test('a file of OpenAPI 3.1, a JSON part and a list', () => {
    const fields = fieldsOf('POST /one');
    expect(fields.find(({ name }) => name === 'file')).toMatchObject({
      value: expect.stringMatching(/^@/) as string,
      isText: false,
    });
    expect(fields.find(({ name }) => name === 'meta')?.value).toMatch(/^\{"name":.*\};type=application\/json$/);
    expect(fields.find(({ name }) => name === 'tags')?.value).not.toMatch(/^\[/);
    const request = describeCall(text, 'POST /one').prepare({
      file: 'data:;base64,AAH/',
      meta: { name: 'n' },
      tags: ['a', 'b'],
    });
    const body = textOf(request);
    expect(headerOf(request, 'Content-Type')).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(body).toMatch(/name="meta"\r\nContent-Type: application\/json\r\n\r\n\{"name":"n"\}\r\n/i);
    expect(body.match(/name="tags"/g)).toHaveLength(2);
    expect(body).toContain('\x00\x01\xff');
  });

  test('a list of files is one field per file', () => {
    const fields = fieldsOf('POST /many');
    expect(fields.length).toBeGreaterThan(0);
    for (const field of fields)
      expect(field).toMatchObject({ name: 'files', value: expect.stringMatching(/^@/) as string, isText: false });
  });

  test('the content type of a part comes from its encoding', () => {
    const call = describeCall(text, 'POST /typed');
    expect(call.curl.fields).toEqual([
      { name: 'image', value: expect.stringMatching(/^@.+;type=image\/png$/) as string, isText: false },
    ]);
    expect(call.slice.request_body).toMatchObject({ encoding: { image: expect.anything() as object } });
  });

  test('multipart/related is not sent as a form', () => {
    const call = describeCall(text, 'POST /related');
    expect(call.slice.request_body.content_type).toBe('multipart/related');
    expect(headerOf(call.curl, 'Content-Type') ?? 'multipart/form-data').toMatch(/^multipart\/related/);
    const request = call.prepare({ metadata: { name: 'n' }, content: 'AAH/' });
    expect(headerOf(request, 'Content-Type')).toMatch(/^multipart\/related; ?boundary=/);
  });

  test('a required body is sent although all of its parts are optional', () => {
    const { curl } = describeCall(text, 'POST /optional');
    expect(curl.fields.length > 0 || headerOf(curl, 'Content-Type')).toBeTruthy();
  });

  test('a form repeats the field of a list, and writes an object by its style', () => {
    const call = describeCall(text, 'POST /form');
    expect(decodeURIComponent(call.curl.body ?? '')).toMatch(/^expand=[^[{]+&address\[city\]=[^&]+&scope=[^[{]+$/);
    const request = call.prepare({ expand: ['a', 'b'], address: { city: 'Bern' }, scope: ['x', 'y'] });
    expect(decodeURIComponent(textOf(request).replaceAll('+', ' '))).toBe(
      'expand=a&expand=b&address[city]=Bern&scope=x y',
    );
    expect(headerOf(request, 'Content-Type')).toBe('application/x-www-form-urlencoded');
  });

  test.for([
    ['POST /any', /^[^*]+$/],
    ['POST /aspnet', /^application\/json$/],
    ['PATCH /patch', /^application\/json$/],
    ['POST /lines', /^application\/x-ndjson$/],
    ['POST /text', /^text\/plain$/],
  ] as const)('the media type of %s matches %s', ([operation, pattern]) => {
    const { curl, slice, tool } = describeCall(text, operation);
    for (const type of [headerOf(curl, 'Content-Type'), slice.request_body.content_type, tool.request?.content_type])
      expect(type).toMatch(pattern);
  });

  test('the other media types are named', () => {
    const { slice } = describeCall(text, 'POST /aspnet');
    expect(slice.request_body).toMatchObject({ other_content_types: ['application/*+json', 'text/json'] });
  });
});

describe.skipIf(!hasCases)('examples are shown and come first in the curl line', () => {
  const text = hasCases ? readCase('13-body-by-example/openapi.yaml') : '';

  test('those of a media type and of parameters', () => {
    const call = describeCall(text, 'POST /campaigns');
    const example = {
      name: 'Spring',
      audience: [{ list: 7, exclude: false }],
      budget: { amount: 1200, currency: 'EUR' },
    };
    expect(call.slice.request_body.example).toEqual(example);
    expect(call.readCurlJson()).toEqual(example);
    expect(call.slice.parameters).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'X-Tenant', example: 'acme-42' })]),
    );
    expect(headerOf(call.curl, 'X-Tenant')).toBe('acme-42');
    expect(new URL(call.curl.url).searchParams.get('when')).toBe('2024-05-01T10:00Z');
  });

  test('one of the example and of the named examples, and one without a schema', () => {
    expect(describeCall(text, 'POST /orders').readCurlJson()).toMatchObject({ sku: 'A-1' });
    expect(describeCall(text, 'POST /orders').texts.slice).toContain('"sku":"A-1"');
    const graph = describeCall(text, 'POST /graph');
    expect(graph.readCurlJson()).toEqual({ query: '{ me { id } }' });
    expect(graph.prepare({ body: { query: '{ me }' } }).body).toEqual({ text: '{"query":"{ me }"}' });
  });
});
