import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scopes, type RequiredAuth } from '@portico/domain';
import { routes } from '../../src/index.ts';
import { nameOfPart } from '../../src/route.ts';

const file = join(import.meta.dirname, '../../../../docs/service-accounts.md');
const [begin, end] = ['<!-- The table of the routes begins here. -->', '<!-- It ends here. -->'];
const none = 'none';

/** Who may call, besides service accounts. */
const people: Readonly<Record<RequiredAuth, string>> = {
  token: 'everybody, by token',
  'token or key': 'everybody',
  admin: 'admins',
};

/** Returns the table of the endpoints that identify their caller, by the scope that a service account must hold. */
const scopeTable = (): string => {
  const order = [...scopes, none];
  const rows = routes
    .flatMap(({ auth, method, path, summary, scope, scopedParts = [] }) => {
      if (auth === 'free' || auth === 'open') return [];
      const endpoint = `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``;
      const besides = scopedParts.map((part) => `; with \`${nameOfPart(part)}\` also \`${part.scope}\``).join('');
      const cells = [scope === null ? none : `\`${scope}\``, endpoint, people[auth], summary + besides];
      return [{ cells, rank: order.indexOf(scope ?? none) }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ cells }) => cells);
  const head = ['scope', 'endpoint', 'who else', 'what'];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
};

/** The page as it is, and as it should be. */
export const pages = (): { readonly actual: string; readonly right: string } => {
  const actual = readFileSync(file, 'utf8');
  const [before, after] = [actual.indexOf(begin) + begin.length, actual.indexOf(end)];
  if (before < begin.length || after < before) throw new Error(`${file} has no place for the table`);
  return { actual, right: `${actual.slice(0, before)}\n\n${scopeTable()}\n\n${actual.slice(after)}` };
};

if (import.meta.main) writeFileSync(file, pages().right);
