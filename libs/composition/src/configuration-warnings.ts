import type { Settings } from '@portico/domain';
import { defaultMailFrom } from './variable-types.ts';

/** The part of a `Config` that the warnings check. */
export interface CheckedConfig {
  readonly production: boolean;
  readonly identity: { readonly local: boolean };
  readonly settings: Pick<Settings, 'identityEmailCheck'>;
  readonly database: { readonly kind: 'sqlite' | 'postgresql' };
  readonly redis: object | null;
  readonly jobs: 'inline' | 'off';
  readonly calls: 'off' | 'on' | 'only';
  readonly callNetworks: readonly string[];
  readonly mail: { readonly from: string; readonly smtpUrl: string | null };
}

/** A warning to the operator about a valid configuration: logged at every startup, and reported by `portico doctor`. */
export interface ConfigurationWarning {
  /** The id of the check in `portico doctor`. */
  readonly id: string;
  /** Workers log only the warnings about jobs. */
  readonly about: 'requests' | 'jobs';
  readonly applies: (config: CheckedConfig) => boolean;
  readonly formatText: (config: CheckedConfig) => string;
  /** Null if the operator wants this configuration: the doctor does not report it. */
  readonly advice: string | null;
}

export const configurationWarnings: readonly ConfigurationWarning[] = [
  {
    id: 'identity.local',
    about: 'requests',
    applies: ({ production, identity }) => production && identity.local,
    formatText: () =>
      'IDENTITY_LOCAL is on in production: anyone who can read DATA_DIR can mint admin tokens. It is for trying Portico out.',
    advice: 'Set IDENTITY_ISSUER and IDENTITY_AUDIENCE, and remove IDENTITY_LOCAL.',
  },
  {
    id: 'identity.email-check',
    about: 'requests',
    applies: ({ production, settings }) => production && settings.identityEmailCheck !== 'verified',
    formatText: () =>
      'IDENTITY_EMAIL_CHECK=verified is recommended in production: then only a token with a verified email address binds a profile.',
    advice: 'Set IDENTITY_EMAIL_CHECK=verified.',
  },
  {
    id: 'processes.servers',
    about: 'requests',
    applies: ({ database, redis }) => (database.kind === 'postgresql') !== !!redis,
    formatText: ({ redis }) =>
      `Run only one HTTP process with this configuration: several need PostgreSQL and Redis, and ${
        redis ? 'DATABASE_URL is not a PostgreSQL database' : 'REDIS_URL is not set'
      }.`,
    advice: 'Set both DATABASE_URL and REDIS_URL, or neither.',
  },
  {
    id: 'jobs.off',
    about: 'requests',
    applies: ({ jobs }) => jobs === 'off',
    formatText: () => 'JOBS=off: this process runs no jobs. Emails and embeddings wait for a worker process.',
    advice: null,
  },
  {
    id: 'mail.server',
    about: 'jobs',
    applies: ({ production, mail }) => production && !mail.smtpUrl,
    formatText: () =>
      'Mail is off: no SMTP server is configured (SMTP_URL), so credentials and rejections are not mailed.',
    advice: 'Set SMTP_URL and MAIL_FROM.',
  },
  {
    id: 'mail.sender',
    about: 'jobs',
    applies: ({ mail }) => !!mail.smtpUrl && mail.from === defaultMailFrom,
    formatText: () => `MAIL_FROM is not set: few mail servers accept mail from ${defaultMailFrom}.`,
    advice: 'Set MAIL_FROM to an address that the mail server may send from.',
  },
];

/** Returns the texts of the warnings that apply. */
export const warningsOf = (config: CheckedConfig, about: ConfigurationWarning['about']): readonly string[] =>
  configurationWarnings
    .filter((warning) => warning.about === about && warning.applies(config))
    .map(({ formatText }) => formatText(config));
