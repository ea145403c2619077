import { createHash } from 'node:crypto';
import {
  openerPolicyHeaders,
  toReadyResponse,
  type ResponseHeaders,
  type ReadyResponse,
} from '../responses/route-response.ts';

/** The name of the form field, and of the query parameter that contains the code in a link. */
export const codeParameter = 'one_time_code';

/**
 * Returns the page that asks for a one-time code. `action`: the form's target; `origin`: the origin that the response
 * to the form redirects to.
 */
export const createCodePage = (
  action: string,
  origin: string,
  problem: { readonly status: number; readonly text: string; readonly headers?: ResponseHeaders } | null = null,
): ReadyResponse => {
  const describedBy = problem ? 'how problem' : 'how';
  const body = `<h1>Sign in to Portico</h1>
<p id="how">Run <code>portico console</code> on the machine, or <code>docker compose exec http portico console</code>. It prints a code that works once.</p>
<form method="post" action="${escapeHtml(action)}">
<label for="${codeParameter}">One-time code</label>
<input id="${codeParameter}" name="${codeParameter}" type="text" required maxlength="64" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" aria-describedby="${describedBy}"${problem ? ' aria-invalid="true" autofocus' : ''}>
${problem ? `<p id="problem" role="alert">${escapeHtml(problem.text)}</p>` : ''}
<button type="submit">Sign in</button>
</form>`;
  return createPage(
    `${problem ? 'Error: ' : ''}Sign in to Portico`,
    body,
    origin,
    problem?.status ?? 200,
    problem?.headers,
  );
};

/** Returns the page that shows why a request cannot be handled. */
export const createUnknownClientPage = (reason: string): ReadyResponse =>
  createPage(
    'Portico cannot sign you in',
    `<h1>Portico cannot sign you in</h1>\n<p>${escapeHtml(reason)}</p>`,
    null,
    400,
  );

const createPage = (title: string, body: string, origin: string | null, status: number, headers = {}): ReadyResponse =>
  toReadyResponse(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': createContentSecurityPolicy(origin),
      ...openerPolicyHeaders,
      ...headers,
    },
    status,
  );

/** The contrast is at least 4.5 : 1 for text, and 3 : 1 for the edge of the field (WCAG 2.2, 1.4.3 and 1.4.11). */
const style = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --text: #1b1f24; --edge: #6b7280; --accent: #0b57d0; --on-accent: #fff; --problem: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #101317; --card: #1a1e23; --text: #e6e8eb; --edge: #8b939e; --accent: #8ab4f8; --on-accent: #10131a; --problem: #ff9d94; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 1.5rem; border-radius: 0.75rem; background: var(--card); overflow-wrap: anywhere; }
h1 { margin: 0 0 0.75rem; font-size: 1.375rem; line-height: 1.25; }
code { font-family: ui-monospace, monospace; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
input, button { width: 100%; min-height: 2.75rem; margin-top: 0.375rem; padding: 0.5rem 0.75rem; border-radius: 0.5rem; font: inherit; }
input { border: 1px solid var(--edge); background: var(--card); color: var(--text); font-family: ui-monospace, monospace; text-transform: uppercase; }
input[aria-invalid] { border: 2px solid var(--problem); }
button { margin-top: 1rem; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#problem { margin: 0.5rem 0 0; color: var(--problem); }
`;

const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** Includes the client's origin in `form-action`, because Chromium also applies it to the redirect after a form. */
const createContentSecurityPolicy = (origin: string | null): string =>
  `default-src 'none'; style-src ${styleSource}; form-action ${origin === null ? "'none'" : `'self' ${origin}`}; base-uri 'none'; frame-ancestors 'none'`;

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const;

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character as keyof typeof entities]);
