import type { Dice } from '../big-catalog/dice.ts';

const things =
  'weather payment invoice parcel hotel flight currency map message mail translation speech image calendar contact ticket payroll stock news recipe signature identity device music video order report'.split(
    ' ',
  );
const verbs = ['list', 'read', 'create', 'replace', 'remove'] as const;

export const aThing = (dice: Dice): string => dice.one(things);

/** An OpenAPI document of about that many bytes as JSON, with operations, parameters and schemas as real ones have. */
export const apiDocument = (dice: Dice, title: string, bytes: number): object => {
  const paths: Record<string, object> = {};
  const schemas: Record<string, object> = {};
  const document = {
    openapi: '3.0.3',
    info: { title, version: '1.0.0', description: `Everything about ${title}.` },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths,
    components: { schemas },
  };
  for (let length = JSON.stringify(document).length, at = 0; length < bytes; at++) {
    const thing = aThing(dice);
    const schema = schemaOf(dice, thing);
    const path = { get: operation(dice, thing, at), ...(at % 3 === 0 ? { post: operation(dice, thing, at) } : {}) };
    paths[`/${thing}/${at}/{id}`] = path;
    schemas[`${thing}${at}`] = schema;
    length += JSON.stringify(schema).length + JSON.stringify(path).length + 2 * thing.length + 20;
  }
  return document;
};

const operation = (dice: Dice, thing: string, at: number): object => {
  const verb = dice.one(verbs);
  return {
    operationId: `${verb}${thing}${at}x${dice.below(10_000)}`,
    summary: `${verb} the ${thing} of a ${aThing(dice)}`,
    description: `${verb}s a ${thing} with its ${aThing(dice)}, and says which ${aThing(dice)} it belongs to.`,
    tags: [thing],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
    responses: {
      200: {
        description: `The ${thing} that was asked for`,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${thing}${at}` } } },
      },
    },
  };
};

const schemaOf = (dice: Dice, thing: string): object => ({
  type: 'object',
  required: ['id'],
  properties: Object.fromEntries([
    ['id', { type: 'string', format: 'uuid' }],
    ...Array.from({ length: 3 + dice.below(6) }, () => [
      `${aThing(dice)}${dice.below(100)}`,
      {
        type: dice.one(['string', 'integer', 'boolean', 'number']),
        description: `The ${aThing(dice)} of the ${thing}`,
      },
    ]),
  ]) as object,
});
