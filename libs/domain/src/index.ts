// Values
export { secretBytes } from './checked-secret.ts';
export * from './characters.ts';
export * from './csv.ts';
export type * from './deadline.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './instant.ts';
export * from './json.ts';
export * from './marked-json.ts';
export * from './json-scan.ts';
export * from './exact-json.ts';
export * from './line.ts';
export { LinkedList, type ListNode } from './linked-list.ts';
export type * from './settings.ts';

// Domain types and their rules
export * from './access/operation-rule.ts';
export * from './access/principal.ts';
export type { AuditEntry, AuditFacets, AuditFilter, AuditSource } from './audit/audit-entry.ts';
export * from './audit/date-time.ts';
export { pageSizeDefault } from './audit/pages.ts';
export { runWithDeadline } from './access/run-with-deadline.ts';
export { systemActions } from './audit/system-actions.ts';
export * from './collections/collection.ts';
export * from './collections/collection-texts.ts';
export * from './collections/change-policy.ts';
export * from './collections/lifecycle.ts';
export * from './collections/tags.ts';
export type * from './collections/credential.ts';
export type * from './collections/namesakes.ts';
export type * from './documents/document.ts';
export { readSecuritySchemes } from './documents/document-authentication.ts';
export * from './documents/document-error.ts';
export * from './documents/document-file-error.ts';
export * from './documents/document-notices.ts';
export * from './documents/document-metadata.ts';
export { valueAt } from './documents/document-value.ts';
export * from './documents/document-warning.ts';
export * from './documents/schema-violation-error.ts';
export type * from './documents/security-scheme.ts';
export * from './documents/document-operations.ts';
export type * from './documents/operation.ts';
export * from './documents/read-operations.ts';
export type * from './operations/operation-block.ts';
export { buildOperationDocument } from './operations/operation-document.ts';
export type * from './operations/operation-result.ts';
export { defaultCallSettings, type CallSettings, type ServerSettings } from './operations/call-settings.ts';
export type { ApiCredential } from './operations/credentials.ts';
export { originOf, originsOf } from './operations/origins.ts';
export * from './operations/operation-slice.ts';
export * from './operations/prepare-request.ts';
export { sourceOf, type Source } from './operations/references.ts';
export type { OperationContext } from './operations/request-description.ts';
export { toPreparedRequestView } from './operations/request-views.ts';
export { toSampleRequest, type SampleRequest } from './operations/sample-request.ts';
export { buildOperationTool } from './operations/operation-tool.ts';
export type * from './operations/operation-vectors.ts';
export * from './operations/packed-operations.ts';
export * from './operations/ranking.ts';
export * from './operations/score-curve.ts';
export * from './changes/change.ts';
export { changeRules } from './changes/change-rules.ts';
export * from './changes/change-views.ts';
export * from './changes/revision.ts';
export * from './changes/change-policy.ts';
export * from './changes/lifecycle-machine.ts';
export * from './changes/compare-documents.ts';
export * from './calls/call.ts';
export { toSentValue } from './calls/place-credentials.ts';
export { callOutcomes, type CallTotals } from './calls/call-counter.ts';
export type * from './calls/call-response.ts';
export * from './grants/expiry.ts';
export * from './grants/grant.ts';
export * from './grants/reference.ts';
export * from './grants/access-matrix.ts';
export type { RuleEdit } from './grants/rule-edit.ts';
export * from './groups/group.ts';
export * from './jobs/job.ts';
export * from './limits/limit.ts';
export * from './mails/mail.ts';
export * from './mails/mails-to-admins.ts';
export * from './mails/mails-to-clients.ts';
export * from './profiles/api-key.ts';
export * from './profiles/email.ts';
export {
  canSignIn,
  claimedGroupsMax,
  type GroupsClaim,
  type IdentityClaims,
  type ReportedEmail,
} from './profiles/identity.ts';
export * from './profiles/profile-filter.ts';
export * from './profiles/profile.ts';
export { isSuspended } from './profiles/suspension-machine.ts';
export * from './requests/access-request.ts';
export type * from './requests/new-request-rules.ts';
export * from './calls/pending-call.ts';
export { canExpire, statusAt } from './calls/call-machine.ts';
export type { CallerState } from './calls/approval-rules.ts';
export type * from './requests/catalog.ts';
export * from './search/embedding.ts';
export * from './service-accounts/account-token.ts';
export * from './service-accounts/service-account.ts';
export type * from './search/reindex-run.ts';
export type * from './search/search-model.ts';
export * from './usage/usage.ts';
export * from './webhooks/webhook.ts';
export { searchQueryMax, type SearchResults, type SearchResult, type VectorMatch } from './search/search-result.ts';

export { cacheValueBytesMax, cacheEntriesMax, cacheTtlMs } from './ports/cache.ts';
export type * from './ports/index.ts';

// The use cases, with their inputs and outputs
export { createUseCases, type UseCases } from './use-cases/index.ts';
export type * from './use-cases/access/admit.ts';
export type * from './use-cases/audit/audit-log.ts';
export type * from './use-cases/collections/authentication.ts';
export type * from './use-cases/collections/bound-origins.ts';
export * from './use-cases/collections/call-credentials.ts';
export type * from './use-cases/collections/credential-content.ts';
export type * from './use-cases/collections/credentials.ts';
export type * from './use-cases/collections/delivery.ts';
export type * from './use-cases/collections/ownership.ts';
export type * from './use-cases/collections/subject-credentials.ts';
export type * from './use-cases/collections/import-collection.ts';
export type * from './use-cases/collections/read-collection.ts';
export type * from './use-cases/collections/revisions.ts';
export { comparedBytesMax } from './use-cases/collections/compare-edit.ts';
export type { RetentionSettings } from './use-cases/collections/prune-revisions.ts';
export { isCredentialWithheld } from './use-cases/collections/read-collection.ts';
export type * from './use-cases/collections/write-collection.ts';
export type * from './use-cases/groups/groups.ts';
export type * from './use-cases/groups/members.ts';
export { affectedDays, affectedListMax, mayNameUsers, toAffectedView } from './use-cases/usage/read-affected.ts';
export { countPairs, pairsMax, type PairOutcome, type PairResult } from './use-cases/grants/grant-many.ts';
export type { GrantEdit } from './use-cases/grants/grant-access.ts';
export type { GrantSelection } from './use-cases/grants/resolve-pairs.ts';
export type { ReadOnlyReview } from './use-cases/grants/rule-operations.ts';
export type * from './use-cases/grants/read-matrix.ts';
export type * from './use-cases/jobs/dead-letters.ts';
export { requeuesMax } from './use-cases/jobs/dead-letters.ts';
export type * from './use-cases/jobs/read-jobs.ts';
export type * from './use-cases/operations/describe-operation.ts';
export type * from './use-cases/operations/search-operations.ts';
export type * from './use-cases/jobs/work-jobs.ts';
export { createModelOperationEmbedder } from './use-cases/operations/model-operation-embedder.ts';
export { findServingEmbedder } from './use-cases/search/find-serving-embedder.ts';
export type { ModelCheck } from './use-cases/search/check-models.ts';
export type { ClientLimit } from './use-cases/limits/read-effective-limit.ts';
export type * from './use-cases/limits/read-limit-status.ts';
export { approvalsMax, type ApprovalOutcome, type ApprovalResult } from './use-cases/profiles/approve-many.ts';
export type * from './use-cases/profiles/claim-first-admin.ts';
export type * from './use-cases/profiles/edit-profile.ts';
export type * from './use-cases/profiles/register-profile.ts';
export type { NewRequest } from './use-cases/requests/request-access.ts';
export type { ApprovedRequest } from './use-cases/requests/decide-request.ts';
export type { VisibleRequest } from './use-cases/requests/read-requests.ts';
export type { CallOperation } from './use-cases/calls/hold-call.ts';
export type { CallRedemption } from './use-cases/calls/redeem-call.ts';
export type { ReadCall, VisibleCall } from './use-cases/calls/read-calls.ts';
export type * from './use-cases/secrets/reseal-secrets.ts';
export {
  findLostSecrets,
  isAnythingLost,
  pepperContext,
  resetSecrets,
  type LostSecrets,
} from './use-cases/secrets/reset-secrets.ts';
export type * from './use-cases/service-accounts/edit-service-account.ts';
export type * from './use-cases/service/health.ts';
export type * from './use-cases/usage/read-usage.ts';
export { deliveryOutcomes, type DeliveryTotals } from './use-cases/webhooks/delivery-counter.ts';
export type * from './use-cases/webhooks/edit-webhook.ts';
