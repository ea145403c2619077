import type { Check } from './check.ts';
import { callChecks } from './checks/calls.ts';
import { configurationChecks } from './checks/configuration.ts';
import { databaseChecks } from './checks/database.ts';
import { dataFolderChecks } from './checks/data-folder.ts';
import { identityChecks } from './checks/identity.ts';
import { keyChecks } from './checks/keys.ts';
import { mailChecks } from './checks/mail.ts';
import { processChecks } from './checks/process.ts';
import { searchChecks } from './checks/search.ts';
import { redisChecks } from './checks/redis.ts';
import { sharingChecks } from './checks/sharing.ts';
import { webhookChecks } from './checks/webhooks.ts';
import { workChecks } from './checks/work.ts';

/** The table: each check is a row, after the rows that it needs. */
export const checks: readonly Check[] = [
  ...processChecks,
  ...configurationChecks,
  ...dataFolderChecks,
  ...databaseChecks,
  ...keyChecks,
  ...redisChecks,
  ...searchChecks,
  ...sharingChecks,
  ...mailChecks,
  ...callChecks,
  ...identityChecks,
  ...workChecks,
  ...webhookChecks,
];
