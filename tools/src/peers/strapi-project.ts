const factory = (kind: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::api.api');\n`;

const schema = {
  kind: 'collectionType',
  collectionName: 'apis',
  info: { singularName: 'api', pluralName: 'apis', displayName: 'API' },
  options: { draftAndPublish: false },
  attributes: {
    name: { type: 'string' },
    description: { type: 'text' },
    text: { type: 'text' },
    document: { type: 'json' },
  },
};

const application = `
const { createStrapi } = require('@strapi/strapi');
const application = createStrapi({ appDir: __dirname, distDir: __dirname, serveAdminPanel: false });
`;

export const fillProgram = 'fill.js';

/** The files of a project with one content type, by path. No secret of it outlives the run. */
export const project: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'peer', private: true, version: '0.0.0' }),
  'config/server.js': `module.exports = ({ env }) => ({
  host: '127.0.0.1',
  port: env.int('PORT'),
  app: { keys: ['one', 'two'] },
  http: { serverOptions: { keepAliveTimeout: 65000 } },
  logger: { updates: { enabled: false }, startup: { enabled: false }, config: { level: 'error' } },
});
`,
  'config/database.js': `module.exports = () => ({
  connection: { client: 'sqlite', connection: { filename: 'data.db' }, useNullAsDefault: true },
});
`,
  'config/admin.js': `module.exports = () => ({
  auth: { secret: 'secret' },
  apiToken: { salt: 'salt' },
  transfer: { token: { salt: 'salt' } },
  secrets: { encryptionKey: 'a key of thirty-two characters..' },
});
`,
  'config/middlewares.js': `module.exports = [
  'strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy', 'strapi::query',
  'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public',
];
`,
  'src/index.js': 'module.exports = {};\n',
  'src/api/api/content-types/api/schema.json': JSON.stringify(schema),
  'src/api/api/controllers/api.js': factory('Controller'),
  'src/api/api/services/api.js': factory('Service'),
  'src/api/api/routes/api.js': factory('Router'),
  'serve.js': `${application}application.start();\n`,
  [fillProgram]: `${application}
const { readFileSync, writeFileSync } = require('node:fs');
const fill = async () => {
  await application.load();
  const token = { name: 'reader', description: '', type: 'read-only', lifespan: null };
  const { accessKey } = await application.service('admin::api-token').create(token);
  const ids = {};
  for (const { id, name, description, document } of JSON.parse(readFileSync('rows.json', 'utf8'))) {
    const data = { name, description, text: document, document: JSON.parse(document) };
    ids[id] = (await application.documents('api::api.api').create({ data })).documentId;
  }
  writeFileSync('filled.json', JSON.stringify({ token: accessKey, ids }));
  await application.destroy();
};
fill().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
`,
};
