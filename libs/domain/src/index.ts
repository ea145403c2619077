export { authorityOf, operatorAuthority, type Access, type Authority } from './access/access.ts';
export type { Admission, AdmissionRequest } from './access/admit.ts';
export { isWellFormedSecret, makeSecret, secretBytes } from './access/api-secret.ts';
export type { Credential } from './access/identify.ts';
export type { AuditPage, NewEntry } from './audit/audit-use-cases.ts';
export { parseDateTime, parseMoment } from './audit/date-time.ts';
export { pageSizeDefault } from './audit/pages.ts';
export type { AuthenticationInput, EffectiveAuthentication } from './collections/authentication.ts';
export type { CollectionMetadata, CollectionWithDocument } from './collections/read-collection.ts';
export type { CollectionEdit, NewCollection, UpdatedCollection } from './collections/write-collection.ts';
export type { GivenUpJobs } from './jobs/given-up-jobs.ts';
export type { JobOutcome } from './jobs/work-jobs.ts';
export type { CountedRequest, EffectiveLimit, LimitSource } from './limits/effective-limit.ts';
export { allowedMax, windowSecondsMax, type ClientLimit } from './limits/limit-use-cases.ts';
export { graceSecondsMax, type Credentials } from './profiles/credentials.ts';
export { canSignIn } from './profiles/binding.ts';
export type { ChangedRole, OwnProfileChange } from './profiles/edit-profile.ts';
export type { FirstAdmin } from './profiles/first-admin.ts';
export type { Registration } from './profiles/register-profile.ts';
export type { ReindexProgress } from './search/reindex.ts';
export type { SearchAnswer, SearchResult } from './search/search-collections.ts';
export type { PartState, Readiness, VectorHealth } from './service/health.ts';
export type { Resealing } from './service/reseal-secrets.ts';
export {
  findLostSecrets,
  isAnythingLost,
  pepperContext,
  resetSecrets,
  type LostSecrets,
} from './service/reset-secrets.ts';
export type { Settings } from './settings.ts';
export { createUseCases, type UseCases } from './use-cases.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './instant.ts';
export * from './json.ts';
export * from './line.ts';
export * from './ports/index.ts';
export * from './characters.ts';
export * from './collections/collection-texts.ts';
export * from './collections/document-facts.ts';
export * from './collections/document-fault.ts';
export * from './collections/document-warning.ts';
