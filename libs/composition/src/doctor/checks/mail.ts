import { findSmtpProblem, findTemplateProblems, type SmtpProblem } from '@portico/mail';
import { requireSetting } from '../../wiring/parts.ts';
import { pass, warn, fail, type Check } from '../check.ts';
import { toSentence } from '../run-checks.ts';

const templateAdvice = 'Correct the file or its name: docs/mails.md lists the names and the variables of templates.';

/** A mail server may look up the name of its client before it sends its greeting. */
const responseTimeoutMs = 4_000;

export const mailChecks: readonly Check[] = [
  {
    id: 'mail.access',
    needs: ['configuration'],
    findSkipReason: ({ mail }) => (mail.smtpUrl === null ? 'SMTP_URL is not set.' : null),
    execute: async ({ getConfig }) => {
      const problem = await findSmtpProblem(requireSetting(getConfig().mail.smtpUrl, 'SMTP_URL'), responseTimeoutMs);
      return problem === null
        ? pass('The mail server accepts this client.')
        : fail(toSentence(problem.message), adviceFor[problem.kind]);
    },
    advice: 'Correct SMTP_URL.',
  },
  {
    id: 'mail.templates',
    needs: ['configuration'],
    findSkipReason: ({ mail }) => (mail.templates === null ? 'MAIL_TEMPLATES is not set.' : null),
    execute: async ({ getConfig }) => {
      const problems = await findTemplateProblems(requireSetting(getConfig().mail.templates, 'MAIL_TEMPLATES'));
      return problems.length === 0
        ? pass('Every template can be used.')
        : problems.map((problem) => warn(toSentence(problem), templateAdvice));
    },
    advice: templateAdvice,
  },
];

const adviceFor: Readonly<Record<SmtpProblem['kind'], string>> = {
  unavailable: 'Start the mail server, or correct host and port in SMTP_URL. Until then, emails wait.',
  login: 'Correct user and password in SMTP_URL, percent-encoded.',
  encryption:
    'The server must offer TLS with a valid certificate: from the start for smtps://, by STARTTLS for smtp://. To trust your own CA, set NODE_EXTRA_CA_CERTS.',
};
