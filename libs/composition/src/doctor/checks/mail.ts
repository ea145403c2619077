import { findSmtpProblem, findTemplateProblems, type SmtpProblem } from '@portico/mail';
import { configured } from '../../wiring/parts.ts';
import { ok, warning, wrong, type Check } from '../check.ts';
import { sentence } from '../run-checks.ts';

const templateAdvice = 'Correct the file or its name: docs/mails.md lists the names and the variables of templates.';

/** A mail server may look up the name of its client before it sends its greeting. */
const responseMs = 4_000;

export const mailChecks: readonly Check[] = [
  {
    id: 'mail.access',
    needs: ['configuration'],
    findSkipReason: ({ mail }) => (mail.smtpUrl === null ? 'SMTP_URL is not set.' : null),
    execute: async ({ config }) => {
      const problem = await findSmtpProblem(configured(config().mail.smtpUrl, 'SMTP_URL'), responseMs);
      return problem === null
        ? ok('The mail server accepts this client.')
        : wrong(sentence(problem.message), adviceFor[problem.kind]);
    },
    advice: 'Correct SMTP_URL.',
  },
  {
    id: 'mail.templates',
    needs: ['configuration'],
    findSkipReason: ({ mail }) => (mail.templates === null ? 'MAIL_TEMPLATES is not set.' : null),
    execute: async ({ config }) => {
      const problems = await findTemplateProblems(configured(config().mail.templates, 'MAIL_TEMPLATES'));
      return problems.length === 0
        ? ok('Every template can be used.')
        : problems.map((problem) => warning(sentence(problem), templateAdvice));
    },
    advice: templateAdvice,
  },
];

const adviceFor: Readonly<Record<SmtpProblem['kind'], string>> = {
  unavailable: 'Start the mail server, or correct host and port in SMTP_URL. Meanwhile mails wait.',
  login: 'Correct user and password in SMTP_URL, percent-encoded.',
  encryption:
    'The server has to offer TLS with a valid certificate: smtps:// from the start, smtp:// by STARTTLS. NODE_EXTRA_CA_CERTS names your own CA.',
};
