/** Text that an attacker might enter. Each opens a dialog if it ever runs. */
const markups = [
  `<script>alert('WHERE')</script>`,
  `"><img src=x onerror=alert('WHERE')>`,
  `<svg/onload=alert('WHERE')>`,
  `'-alert('WHERE')-'`,
];

let markupIndex = 0;

/** Returns a short line for names, with the next kind of markup. `place` identifies the place that let it through. */
export const hostileName = (place: string): string => {
  markupIndex += 1;
  return `${place} ${markups[markupIndex % markups.length]?.replace('WHERE', place) ?? ''}`;
};

/** Returns a name of the maximum length that cannot be broken into lines. */
export const longName = (place: string): string => place.replaceAll(' ', '-').padEnd(200, 'm');

/** A link like those in the documents of real APIs, wider than any screen. */
export const longLink = `https://docs.example.com/${'m'.repeat(710)}`;

/** Returns a longer text in Markdown with HTML: links that run scripts, tracking images, and frames. */
export const hostileProse = (place: string): string =>
  [
    `# ${place} <script>alert('${place}')</script>`,
    `[run](javascript:alert('${place}')) [run](JaVaScRiPt:alert(1)) [run](&#106;avascript:alert(1)) <javascript:alert(1)>`,
    `[page](data:text/html,<script>alert(1)</script>) [old](vbscript:msgbox(1)) [file](file:///etc/passwd)`,
    `![pixel](https://evil.example.com/pixel.png) ![inline](data:image/svg+xml,<svg onload=alert(1)>)`,
    `<img src="https://evil.example.com/tracker.png" onerror="alert('${place}')">`,
    `<iframe src="https://evil.example.com/"></iframe><object data="https://evil.example.com/"></object>`,
    `<a href="javascript:alert(1)" onclick="alert(2)">click</a> <form action="https://evil.example.com/"><button>go</button></form>`,
    `<style>@import url(https://evil.example.com/x.css);</style><link rel="stylesheet" href="https://evil.example.com/x.css">`,
    `<base href="https://evil.example.com/"><meta http-equiv="refresh" content="0;url=https://evil.example.com/">`,
    'Plain words and an [honest link](https://docs.example.com/).',
  ].join('\n\n');

/** Returns the same text, cut to the maximum length of a note. */
export const hostileNote = (place: string): string => hostileProse(place).slice(0, noteMax);

const noteMax = 480;

const dangerousAddress = "javascript:alert('address')";

/** Returns an OpenAPI document in which all text is hostile. */
export const hostileDocument = (title: string): object => ({
  openapi: '3.1.0',
  info: {
    title,
    version: hostileName('version'),
    summary: hostileName('summary of the API'),
    description: hostileProse('description of the document'),
    termsOfService: dangerousAddress,
    contact: { name: hostileName('contact'), url: dangerousAddress, email: 'evil@example.com' },
    license: { name: hostileName('license'), url: dangerousAddress },
  },
  servers: [
    { url: dangerousAddress, description: hostileProse('description of a server') },
    { url: 'data:text/html,<script>alert(1)</script>' },
    { url: 'https://evil.example.com/v1"><script>alert(1)</script>' },
  ],
  externalDocs: { url: dangerousAddress, description: hostileName('external docs') },
  tags: [
    { name: hostileTag, description: hostileProse('description of a tag'), externalDocs: { url: dangerousAddress } },
  ],
  paths: {
    [`/${longName('path')}`]: { get: { ...operation('long'), summary: longName('summary'), description: longLink } },
    "/<script>alert('path')</script>/{id}": {
      summary: hostileName('summary of a path'),
      description: hostileProse('description of a path'),
      get: operation('get'),
      post: { ...operation('post'), deprecated: true },
      delete: operation('delete'),
    },
  },
  components: {
    schemas: { [schemaName]: schema },
    securitySchemes: {
      "<script>alert('scheme')</script>": {
        type: 'apiKey',
        in: 'header',
        name: "X-<script>alert('header')</script>",
        description: hostileProse('description of a scheme'),
      },
      flow: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: dangerousAddress, scopes: { '<img src=x>': hostileName('scope') } } },
      },
    },
  },
});

const hostileTag = `tag <img src=x onerror=alert('tag')>`;
const schemaName = `Schema<script>alert('schema')</script>`;

const operation = (method: string): object => ({
  operationId: `${method}<img src=x onerror=alert('operation')>`,
  summary: hostileName(`summary of ${method}`),
  description: hostileProse(`description of ${method}`),
  tags: [hostileTag],
  externalDocs: { url: dangerousAddress, description: hostileName('docs of an operation') },
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: hostileProse('description of a parameter'),
      schema: { type: 'string', enum: [`<script>alert('enum')</script>`], default: `"><img src=x onerror=alert(1)>` },
      example: `<script>alert('example')</script>`,
    },
    { name: `q"><script>alert('parameter')</script>`, in: 'query', schema: { type: 'string', pattern: '<b>' } },
  ],
  ...(method === 'post'
    ? {
        requestBody: {
          description: hostileProse('description of a body'),
          content: { 'application/json': { schema, example: { '<script>': `<script>alert('body')</script>` } } },
        },
      }
    : {}),
  responses: {
    200: {
      description: hostileProse('description of a response'),
      headers: {
        'X-<img src=x>': { description: hostileProse('description of a header'), schema: { type: 'string' } },
      },
      content: { 'text/html"><script>alert(1)</script>': { schema } },
    },
  },
});

const schema: object = {
  title: `<script>alert('title')</script>`,
  description: hostileProse('description of a schema'),
  type: 'object',
  properties: {
    [`<img src=x onerror=alert('property')>`]: {
      type: 'string',
      description: hostileProse('description of a property'),
      format: '<script>alert(1)</script>',
      examples: [`<script>alert('example')</script>`],
    },
  },
};
