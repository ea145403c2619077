import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Reply } from './reply.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: JsonObject }>>;
}

interface Document extends JsonObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The documented responses seen in this process, as `operation status`. */
export const observedResponses = new Set<string>();
/** The responses listed by the OpenAPI documents of this process, in the same form. */
export const documentedResponses = new Set<string>();

/**
 * Creates a validator that checks each response against the service's own OpenAPI document: status, media type and
 * body.
 */
export const createResponseValidator = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  ajv.addFormat('uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addSchema(document, 'service');
  const templates = Object.entries(document.paths)
    .map(([template, operations]) => ({ template, operations, pattern: patternOf(template) }))
    // Fixed segments take precedence over parameters, as in the service.
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length);
  for (const { operations } of templates) {
    for (const { operationId, responses } of Object.values(operations)) {
      for (const status of Object.keys(responses)) documentedResponses.add(`${operationId} ${status}`);
    }
  }
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `service#${pointer}` });
    validators.set(pointer, validator);
    return validator;
  };

  return (method: string, path: string, reply: Reply): void => {
    const pathOnly = path.replace(/\?.*$/, '').replace(/(?<=.)\/$/, '') || '/';
    const match = templates.find(({ pattern }) => pattern.test(pathOnly));
    const operation = match?.operations[method.toLowerCase()];
    if (!match || !operation) {
      const undocumented =
        pathOnly.startsWith('/local-issuer/') || // The protocol's standards describe these endpoints.
        (pathOnly.startsWith('/docs') && reply.status === 200) ||
        // This is the page for browsers, or a 503 before the page is built.
        (pathOnly.startsWith('/console') && [200, 503].includes(reply.status)) ||
        (pathOnly === '/favicon.ico' && reply.status === 200) ||
        (pathOnly === '/' && reply.status === 302) ||
        pathOnly === '/mcp'; // This endpoint describes itself, in its own protocol.
      assert(undocumented || [404, 405].includes(reply.status), `${method} ${path} is not documented: ${reply.status}`);
      return;
    }
    const status = [String(reply.status), `${String(reply.status)[0]}XX`].find(
      (candidate) => candidate in operation.responses,
    );
    const response = status === undefined ? undefined : operation.responses[status];
    const place = `${operation.operationId} ${status ?? reply.status}`;
    assert(response, `${place} is not documented; the response was ${reply.text.slice(0, 300)}`);
    observedResponses.add(place);
    const medias = Object.keys(response.content ?? {});
    const type = reply.headers['content-type']?.split(';')[0];
    const media = medias.find((candidate) => candidate === type) ?? medias[0];
    if (!media) {
      assert.equal(reply.bytes.length, 0, `${place} has an undocumented body`);
      return;
    }
    assert.equal(type, media, `${place} has the wrong media type`);
    if (media.startsWith('text/') || ['application/yaml', 'application/atom+xml'].includes(media)) return;
    const values = media === 'application/x-ndjson' ? reply.text.split('\n').filter(Boolean) : [reply.text];
    const pointerParts = [match.template, media].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    const pointer = `/paths/${pointerParts[0]}/${method.toLowerCase()}/responses/${status}/content/${pointerParts[1]}/schema`;
    const validate = validatorAt(encodeURI(pointer));
    for (const value of values) {
      assert(validate(JSON.parse(value)), `${place}: ${ajv.errorsText(validate.errors)} in ${value.slice(0, 500)}`);
    }
  };
};

export type ResponseValidator = ReturnType<typeof createResponseValidator>;

const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .replace(/\/$/, '')
      .replace(/[.]/g, '\\.')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );
