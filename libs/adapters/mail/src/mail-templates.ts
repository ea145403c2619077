import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@portico/dependencies';
import { escapeHtml, type Mail, type Mailer, mailNames } from '@portico/domain';
import type { Liquid, Template } from 'liquidjs';

export interface TemplateOptions {
  readonly folder: string;
  readonly log: Log;
}

/**
 * Renders emails with the Liquid templates in a folder: `credentials.subject.liquid`, `….text.liquid`, `….html.liquid`.
 * A part without a template keeps the built-in wording, except that the HTML is generated from the text if only the
 * text has a template. If rendering a template fails, the email is sent with the built-in wording, and the part and the
 * reason are logged. The folder is read once. If it cannot be read, all emails use the built-in wording.
 */
export const withTemplates = async <BaseMailer extends Mailer>(
  mailer: BaseMailer,
  { folder, log }: TemplateOptions,
): Promise<BaseMailer> => {
  const templates = await loadTemplates(folder, log);
  return {
    ...mailer,
    send: async (mail: Mail) => mailer.send(await applyTemplates(templates, mail, log)),
  };
};

/** Returns the problems with the folder's templates that would be logged at startup, as sentences. */
export const findTemplateProblems = async (folder: string): Promise<readonly string[]> => {
  const problems: string[] = [];
  const recordProblem = (
    fields: { readonly template?: string; readonly reason?: string; readonly err?: unknown },
    message: string,
  ) => {
    const reason = fields.err === undefined ? fields.reason : reasonOf(fields.err);
    problems.push(`${fields.template ?? folder}: ${message}${reason === undefined ? '' : ` (${reason})`}`);
  };
  await loadTemplates(folder, { debug: recordProblem, info: recordProblem, warn: recordProblem, error: recordProblem });
  return problems;
};

const parts = ['subject', 'text', 'html'] as const;
type Part = (typeof parts)[number];

/** The parsed templates by `name.part`. */
type Templates = ReadonlyMap<string, { readonly engine: Liquid; readonly parsedTemplate: Template[] }>;

const applyTemplates = async (templates: Templates, mail: Mail, log: Log): Promise<Mail> => {
  const renderedParts: Partial<Record<Part, string>> = {};
  for (const part of parts) {
    const template = templates.get(`${mail.name}.${part}`);
    if (!template) continue;
    try {
      renderedParts[part] = (await template.engine.render(template.parsedTemplate, { ...mail.data })) as string;
    } catch (error) {
      log.warn(
        { template: fileOf(`${mail.name}.${part}`), reason: reasonOf(error) },
        `A template is broken: the email is sent with the built-in text`,
      );
      return mail;
    }
  }
  const html = renderedParts.html ?? (renderedParts.text === undefined ? mail.html : htmlOf(renderedParts.text));
  return { ...mail, ...renderedParts, html };
};

const htmlOf = (text: string): string =>
  `<!doctype html>\n<html><body>\n<pre>${escapeHtml(text)}</pre>\n</body></html>\n`;

/** The limits, in order: characters, milliseconds per rendering, and Liquid's units of memory. */
const limits = { parseLimit: 1_000_000, renderLimit: 1_000, memoryLimit: 50_000_000 };
const fileBytesMax = 262_144;

const templateNames = mailNames.flatMap((name) => parts.map((part) => `${name}.${part}`));
const extension = '.liquid';
const fileOf = (name: string): string => `${name}${extension}`;

/** Reads and parses all templates. They can render files with any other name, such as a common footer. */
const loadTemplates = async (folder: string, log: Log): Promise<Templates> => {
  const { Liquid } = await import('liquidjs');
  const sources = await readSources(folder, log);
  warnAboutUnused(sources, log);
  const createEngine = (outputEscape?: 'escape') =>
    new Liquid({
      strictVariables: true,
      strictFilters: true,
      lenientIf: true,
      ownPropertyOnly: true,
      // Templates are loaded from memory only, so a template cannot read any other file.
      templates: Object.fromEntries(sources),
      ...limits,
      ...(outputEscape ? { outputEscape } : {}),
    });
  const [plainEngine, escapingEngine] = [createEngine(), createEngine('escape')];
  const templates = new Map<string, { engine: Liquid; parsedTemplate: Template[] }>();
  for (const name of templateNames) {
    const text = sources.get(fileOf(name));
    if (text === undefined) continue;
    const engine = name.endsWith('.html') ? escapingEngine : plainEngine;
    try {
      templates.set(name, { engine, parsedTemplate: engine.parse(text, fileOf(name)) });
    } catch (error) {
      log.warn({ template: fileOf(name), reason: reasonOf(error) }, 'A template is broken: the built-in text is used');
    }
  }
  if (templates.size === 0)
    log.warn({ folder }, `No templates are in use; a template is a file such as ${fileOf('credentials.text')}`);
  return templates;
};

/** Logs a warning for each file that is not a template and that no template renders: the name is probably mistyped. */
const warnAboutUnused = (sources: ReadonlyMap<string, string>, log: Log): void => {
  const names = new Set(templateNames.map(fileOf));
  for (const file of sources.keys()) {
    const isRendered = [...sources].some(
      ([otherFile, text]) => otherFile !== file && text.includes(file.slice(0, -extension.length)),
    );
    if (!names.has(file) && !isRendered)
      log.warn(
        { template: file, mails: mailNames, parts },
        'A template is not used: its name does not match a part of an email, and no other template renders it',
      );
  }
};

const readSources = async (folder: string, log: Log): Promise<ReadonlyMap<string, string>> => {
  const sources = new Map<string, string>();
  try {
    for (const file of (await readdir(folder)).filter((name) => name.endsWith(extension)).sort()) {
      const path = join(folder, file);
      if ((await stat(path)).size > fileBytesMax)
        log.warn({ template: file }, `A template is not used: it has more than ${fileBytesMax} bytes`);
      else sources.set(file, await readFile(path, 'utf8'));
    }
  } catch (error) {
    log.error(
      { err: error, folder },
      'The folder of templates cannot be read: emails are sent with the built-in texts',
    );
    return new Map();
  }
  return sources;
};

/** Returns Liquid's message without the excerpt of the template. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);
