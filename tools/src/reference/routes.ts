import { scopes } from '@portico/domain';
import { routes, nameOfPart, type Route, type RouteAuth } from '@portico/http';

const introduction = `# Routes and scopes

Every route of the HTTP API. Your own service describes them for machines at \`/openapi.json\` and for people at \`/docs\`,
with parameters, bodies, answers and errors. Not listed: \`/mcp\` ([agents](../agents.md)), the [console](../console.md) and
the local issuer.

**Who** may call: *anyone*; people with an identity *token*, or with a *token or key*; or an *admin* with an identity
token. **Scope** is what a [service account](../service-accounts.md) must hold instead; without one, no service account
may call.
`;

const whoMay: Readonly<Record<RouteAuth, string>> = {
  free: 'anyone',
  open: 'anyone',
  token: 'token',
  'token or key': 'token or key',
  admin: 'admin',
};

const row = ({ method, path, auth, scope, summary, scopedParts = [] }: Route): string => {
  const parts = scopedParts.map((part) => `; with \`${nameOfPart(part)}\` also \`${part.scope}\``).join('');
  const cells = [
    `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
    whoMay[auth],
    scope === null ? '' : `\`${scope}\``,
    summary + parts,
  ];
  return `| ${cells.join(' | ')} |`;
};

/** `docs/reference/routes.md`. */
export const routesPage = (): string => {
  const shown = routes.filter(({ hidden, ofLocalIssuer }) => !hidden && !ofLocalIssuer);
  const tags = [...new Set(shown.map(({ tag }) => tag))];
  return [
    introduction,
    `The scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.\n`,
    ...tags.map((tag) => {
      const rows = shown.filter((route) => route.tag === tag).map(row);
      return `## ${tag}\n\n| route | who | scope | what |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
    }),
  ].join('\n');
};
