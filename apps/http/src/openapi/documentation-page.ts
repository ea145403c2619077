import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { toReadyResponse, type ReadyResponse } from '../responses/route-response.ts';

const title = 'Portico API';

/** Nothing is loaded from other hosts. Inline styles are allowed because the page's script adds them. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/initializer.js"></script>
</body>
</html>
`;

/**
 * Credentials are kept only while the page is open: `persistAuthorization` would write them to the browser's storage.
 * The plugin hides the requirement `{}` from Swagger UI, which otherwise shows an operation with an optional credential
 * as locked.
 */
const initializer = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [
    {
      statePlugins: {
        auth: {
          wrapSelectors: {
            isAuthorized: (original) => (_state, security) =>
              original(security && security.filter((requirement) => requirement.size > 0)),
          },
        },
      },
    },
  ],
});
`;

const mediaTypes = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const pageHeaders = { 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-cache' };

export const createDocumentationPage = (): ReadyResponse =>
  toReadyResponse(page, { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8' });

/** Returns a file that the page loads, or null for any other name. */
export const readDocumentationFile = async (name: string): Promise<ReadyResponse | null> => {
  if (name === 'initializer.js') {
    return toReadyResponse(initializer, { ...pageHeaders, 'Content-Type': 'text/javascript; charset=utf-8' });
  }
  if (!isServed(name)) return null;
  const path = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  return toReadyResponse(await readFile(path), {
    ...pageHeaders,
    'Cache-Control': 'public, max-age=3600',
    'Content-Type': mediaTypes[name],
  });
};

const isServed = (name: string): name is keyof typeof mediaTypes => Object.hasOwn(mediaTypes, name);
