/** Words that follow one another by chance, the same in each run. */
const words =
  'account address agent alert amount archive asset attempt balance batch bill booking branch budget calendar campaign card carrier cart channel charge claim client cluster code comment company contact contract country coupon credit currency customer dashboard dataset deal delivery deployment deposit device discount document domain driver email employee endpoint entry environment event expense export feature feed field file filter fleet folder forecast form gateway group guest holder host image import incident index invoice issue item job journal key label language layer ledger license limit link list location log machine mail market match member message meter method metric model module monitor network note notice object offer option order organisation owner package page parcel partner payment payout period permission person phone pipeline plan platform policy pool portal position price process product profile project property provider purchase quota quote rate receipt record refund region release reminder rental report request reservation resource response result review role room route rule sale sample schedule schema score search season secret section sensor server service session setting shift shipment signal site snapshot source space stage stock storage store stream subscription supplier survey table tag task tax team template tenant term ticket tier token topic total tour trace track trade transfer trip unit update upload usage user value vehicle vendor version view visit volume voucher wallet warehouse webhook workflow workspace zone'.split(
    ' ',
  );

const methods = ['get', 'post', 'put', 'delete', 'patch'] as const;

/** A document as services write them: paths with inline schemas, components, descriptions; `edition` tells two apart. */
export const bigDocument = (bytes: number, operations: number, edition: number): string => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const word = (): string => words[random(words.length)] ?? '';
  const sentence = (length: number): string => Array.from({ length }, word).join(' ');
  const property = (): object =>
    random(3) === 0
      ? { $ref: `#/components/schemas/Schema${random(1_000)}` }
      : { type: ['string', 'integer', 'boolean'][random(3)], description: sentence(8 + random(12)), example: word() };
  const schema = (properties: number): object => ({
    type: 'object',
    required: [word()],
    properties: Object.fromEntries(Array.from({ length: properties }, () => [`${word()}_${word()}`, property()])),
  });
  const operation = (number: number, path: string): object => ({
    operationId: `${path.split('/')[1] ?? ''}${number}`,
    summary: sentence(6),
    description: sentence(60 + random(40)),
    tags: [path.split('/')[1]],
    parameters: [
      { name: 'id', in: 'path', required: true, description: sentence(8), schema: { type: 'string' } },
      { name: word(), in: 'query', description: sentence(10), schema: { type: 'integer', minimum: 0 } },
    ],
    responses: {
      200: { description: sentence(6), content: { 'application/json': { schema: schema(6) } } },
      404: { $ref: '#/components/responses/Missing' },
    },
  });
  const title = `A very large service, edition ${edition}`;
  const head = { openapi: '3.0.3', info: { title, version: `${edition}.0.0`, description: sentence(50) } };
  const paths: Record<string, Record<string, object>> = {};
  for (let number = 0; number < operations; number++) {
    const path = `/${words[Math.floor(number / 40) % words.length] ?? ''}/${Math.floor(number / methods.length)}/{id}`;
    (paths[path] ??= {})[methods[number % methods.length] ?? 'get'] = operation(number, path);
  }
  const components = {
    responses: { Missing: { description: 'It is missing' } },
    schemas: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`Schema${i}`, schema(8)])),
  };
  const text = JSON.stringify({ ...head, servers: [{ url: 'https://big.example.com/v1' }], paths, components });
  // What is left are schemas that nothing refers to.
  const rest: string[] = [];
  for (let length = text.length + 2, i = 0; length < bytes; i++) {
    const one = `"Further${i}":${JSON.stringify(schema(12))}`;
    rest.push(one);
    length += one.length + 1;
  }
  return rest.length === 0 ? text : `${text.slice(0, -3)},${rest.join(',')}}}}`;
};
