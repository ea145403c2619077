import { scopes } from '@portico/domain';
import { routes, nameOfPart, type Route, type RouteAuth } from '@portico/http';

const introduction = `# Routes and scopes

Every route of the HTTP API. Your own service describes them for machines at \`/openapi.json\` and for people at \`/docs\`,
with parameters, bodies, responses and errors. Not listed: \`/mcp\` ([agents](../agents.md)), the
[console](../console.md) and the local issuer.

**Callers**: *anyone*; people with an identity *token*, or with a *token or key*; or an *admin* with an identity token; an
*owner* is a member of the group that [owns](../lifecycle.md#owners) the collection.
**Scope**: the scope that a [service account](../service-accounts.md) needs instead; if it is empty, service accounts cannot
call the route.
`;

const callers: Readonly<Record<RouteAuth, string>> = {
  free: 'anyone',
  open: 'anyone',
  token: 'token',
  'token or key': 'token or key',
  admin: 'admin',
  'admin or owner': 'admin or owner',
};

const formatRow = ({ method, path, auth, scope, summary, scopedParts = [] }: Route): string => {
  const parts = scopedParts.map((part) => `; with \`${nameOfPart(part)}\` also \`${part.scope}\``).join('');
  const cells = [
    `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
    callers[auth],
    scope === null ? '' : `\`${scope}\``,
    summary + parts,
  ];
  return `|${cells.join('|')}|`;
};

/** Returns the text of `docs/reference/routes.md`. */
export const buildRoutesPage = (): string => {
  const visibleRoutes = routes.filter(({ isHidden, requiresLocalIssuer }) => !isHidden && !requiresLocalIssuer);
  const tags = [...new Set(visibleRoutes.map(({ tag }) => tag))];
  return [
    introduction,
    `The scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.\n`,
    ...tags.map((tag) => {
      const rows = visibleRoutes.filter((route) => route.tag === tag).map(formatRow);
      return `## ${tag}\n\n|route|callers|scope|purpose|\n|---|---|---|---|\n${rows.join('\n')}\n`;
    }),
  ].join('\n');
};
