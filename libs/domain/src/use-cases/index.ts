import type { AdminAuthority, Principal } from '../access/principal.ts';
import type { Ports } from '../ports/index.ts';
import type { Settings } from '../settings.ts';
import { type WithUsageCounter, createUsageCounter } from '../usage/usage-counter.ts';
import { admit, admitRegistration, countFailedCode } from './access/admit.ts';
import { readTarget } from './access/read-target.ts';
import {
  exportAudit,
  exportNamedAudit,
  nameActors,
  pruneAudit,
  readAuditPage,
  writeAuditEntry,
} from './audit/audit-log.ts';
import {
  countCollections,
  listCollections,
  readDocument,
  readCredential,
  readMetadata,
  readMetadataHints,
  readOriginal,
  readYaml,
} from './collections/read-collection.ts';
import { createCallCounter } from '../calls/call-counter.ts';
import { callOperation } from './calls/call-operation.ts';
import { approveCall, denyCall } from './calls/decide-call.ts';
import { expireCalls } from './calls/expire-calls.ts';
import { holdCall } from './calls/hold-call.ts';
import { listCalls, readCall } from './calls/read-calls.ts';
import { redeemCall } from './calls/redeem-call.ts';
import { confirmOrigins, readOrigins } from './collections/bound-origins.ts';
import { listCredentials, removeCredential, setCredential } from './collections/credentials.ts';
import { readDelivery, updateDelivery } from './collections/delivery.ts';
import { findSuccessor, setLifecycle } from './collections/lifecycle.ts';
import { readChangePolicy, readOwner, setChangePolicy, setOwner, setTags } from './collections/ownership.ts';
import {
  listOwnCredentials,
  removeOwnCredential,
  removeSubjectCredential,
  setOwnCredential,
  setSubjectCredential,
} from './collections/subject-credentials.ts';
import { importCollection, planImport } from './collections/import-collection.ts';
import { pruneRevisions } from './collections/prune-revisions.ts';
import {
  compareRevisions,
  countRevisions,
  listRecentRevisions,
  listRevisions,
  readRevision,
  readRevisionText,
  restoreRevision,
} from './collections/revisions.ts';
import { findVisibleCollection } from './collections/find-collection.ts';
import { createCollection, removeCollection, updateCollection } from './collections/write-collection.ts';
import {
  changeGrant,
  grantAccess,
  listClientAccess,
  listCollectionClients,
  revokeAccess,
} from './grants/grant-access.ts';
import {
  countGroups,
  createGroup,
  findGroup,
  clearGroupClaims,
  listGroupCollections,
  listGroups,
  readGroup,
  removeGroup,
  updateGroup,
} from './groups/groups.ts';
import { addMember, addMembers, listMembers, listProfileGroups, removeMember } from './groups/members.ts';
import { grantMany, revokeMany } from './grants/grant-many.ts';
import { exportMatrix, readMatrix } from './grants/read-matrix.ts';
import { reviewReadOnly } from './grants/rule-operations.ts';
import {
  discardJob,
  listDeadLetters,
  pageDeadLetters,
  requeueEach,
  requeueJob,
  requeueJobs,
} from './jobs/dead-letters.ts';
import { readJobs } from './jobs/read-jobs.ts';
import { readOutboxState, relayJobs, workJob } from './jobs/work-jobs.ts';
import {
  countOverrides,
  createOverride,
  listClientOverrides,
  listOverrides,
  removeOverride,
  updateOverride,
} from './limits/overrides.ts';
import { readEffectiveLimit } from './limits/read-effective-limit.ts';
import { readLimitStatus } from './limits/read-limit-status.ts';
import { createTier, listTiers, removeTier, updateTier } from './limits/tiers.ts';
import { offerWrittenJobs } from './outbox/offer-jobs.ts';
import { approveMany } from './profiles/approve-many.ts';
import { claimFirstAdmin } from './profiles/claim-first-admin.ts';
import { sendExpiryNotices } from './mails/send-expiry-notices.ts';
import {
  assignTier,
  changeRole,
  removeProfile,
  resumeProfile,
  suspendProfile,
  updateOwnProfile,
} from './profiles/edit-profile.ts';
import {
  approveProfile,
  changeKeyExpiry,
  rotateCredentials,
  rotateOwnCredentials,
} from './profiles/issue-credentials.ts';
import {
  countProfiles,
  listProfiles,
  readKeyExpiries,
  readOwnKeyExpiry,
  readProfile,
} from './profiles/list-profiles.ts';
import { registerProfile } from './profiles/register-profile.ts';
import { rejectProfile, reopenRegistration } from './profiles/reject-profile.ts';
import { requestAccess, readCatalog, readDiscoverable, withdrawRequest } from './requests/request-access.ts';
import { approveRequest, denyRequest } from './requests/decide-request.ts';
import { listRequests, readRequest } from './requests/read-requests.ts';
import { checkModels } from './search/check-models.ts';
import { readReindex, startReindex } from './search/reindex.ts';
import { distinguishCollections } from './search/distinguish-collections.ts';
import { searchCollections } from './search/search-collections.ts';
import { createVisibleSets, type WithVisibleSets } from './search/visible-sets.ts';
import { resealSecrets } from './secrets/reseal-secrets.ts';
import { describeOperation, prepareOperation, readPermission } from './operations/describe-operation.ts';
import { listOperations } from './operations/read-operations.ts';
import { searchOperations } from './operations/search-operations.ts';
import {
  createServiceAccount,
  listServiceAccounts,
  readServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
  updateServiceAccount,
} from './service-accounts/edit-service-account.ts';
import { watchHealth } from './service/health.ts';
import { readModelChange } from './service/model-change.ts';
import { readOperationProgress } from './service/operation-progress.ts';
import { readAffected } from './usage/read-affected.ts';
import { readCollectionUses, readOwnUse, readProfileUses, readUsage } from './usage/read-usage.ts';
import { createDeliveryCounter, type WithDeliveryCounter } from './webhooks/delivery-counter.ts';
import { createWebhookUseCases } from './webhooks/webhook-use-cases.ts';
import { pruneUsage, writeUsage } from './usage/write-usage.ts';

/** Everything that the system can do. Usage counts are kept in memory until `writeUsage` writes them. */
export const createUseCases = (ports: Ports, settings: Settings) => {
  offerWrittenJobs(ports);
  const countingPorts = {
    ...ports,
    uses: createUsageCounter(() => ports.clock.now()),
    deliveryCounter: createDeliveryCounter(),
  };
  const searchPorts = { ...countingPorts, visibleSets: createVisibleSets(ports) };
  return {
    ...createCatalogUseCases(searchPorts, settings),
    ...createAccessUseCases(countingPorts, settings),
    ...createServiceUseCases(searchPorts, settings),
    ...createWebhookUseCases(countingPorts),
  };
};

/** Calls of operations. */
const createCallUseCases = (ports: Ports & WithUsageCounter, settings: Settings) => {
  const callCounter = createCallCounter();
  return {
    callOperation: callOperation({ ...ports, callCounter }, settings),
    /** Returns the calls of this process; null if it makes none. */
    getCallTotals: () => (ports.egress ? callCounter.getTotals() : null),
  };
};

/** Revisions of documents. */
const createRevisionUseCases = (ports: Ports, settings: Settings) => ({
  readRevision: readRevision(ports),
  listRevisions: listRevisions(ports),
  countRevisions: countRevisions(ports),
  readRevisionText: readRevisionText(ports),
  compareRevisions: compareRevisions(ports),
  restoreRevision: restoreRevision(ports, settings),
  listRecentRevisions: listRecentRevisions(ports),
  pruneRevisions: pruneRevisions(ports),
  measureRevisions: () => ports.revisions.measure(),
});

/** The lifecycle of collections, and their owners. */
const createOwnershipUseCases = (ports: Ports) => ({
  setLifecycle: setLifecycle(ports),
  findSuccessor: findSuccessor(ports),
  readOwner: readOwner(ports),
  setOwner: setOwner(ports),
  setTags: setTags(ports),
  readChangePolicy: readChangePolicy(ports),
  setChangePolicy: setChangePolicy(ports),
});

/** Admission, profiles, collections and operations. */
const createCatalogUseCases = (ports: Ports & WithUsageCounter & WithVisibleSets, settings: Settings) => ({
  // Admission
  admit: admit(ports, settings),
  admitRegistration: admitRegistration(ports, settings),
  countFailedCode: countFailedCode(ports, settings),
  readTarget: readTarget(ports),
  // Profiles
  registerProfile: registerProfile(ports, settings),
  updateOwnProfile: updateOwnProfile(ports),
  listProfiles: listProfiles(ports),
  countProfiles: countProfiles(ports),
  readProfile: readProfile(ports),
  readKeyExpiries: readKeyExpiries(ports),
  readOwnKeyExpiry: readOwnKeyExpiry(ports),
  listAdmins: (_authority: AdminAuthority) => ports.profiles.listAdmins(),
  findProfileByEmail: (_authority: AdminAuthority, email: string) => ports.profiles.findByEmail(email.trim()),
  approveProfile: approveProfile(ports),
  approveMany: approveMany(ports),
  rejectProfile: rejectProfile(ports),
  reopenRegistration: reopenRegistration(ports),
  removeProfile: removeProfile(ports, settings),
  rotateCredentials: rotateCredentials(ports),
  rotateOwnCredentials: rotateOwnCredentials(ports),
  changeKeyExpiry: changeKeyExpiry(ports),
  changeRole: changeRole(ports, settings),
  suspendProfile: suspendProfile(ports, settings),
  resumeProfile: resumeProfile(ports),
  assignTier: assignTier(ports),
  claimFirstAdmin: claimFirstAdmin(ports, settings),
  // Collections
  createCollection: createCollection(ports, settings),
  updateCollection: updateCollection(ports, settings),
  removeCollection: removeCollection(ports),
  ...createRevisionUseCases(ports, settings),
  listCredentials: listCredentials(ports),
  setCredential: setCredential(ports),
  removeCredential: removeCredential(ports),
  setSubjectCredential: setSubjectCredential(ports),
  removeSubjectCredential: removeSubjectCredential(ports),
  setOwnCredential: setOwnCredential(ports),
  removeOwnCredential: removeOwnCredential(ports),
  listOwnCredentials: listOwnCredentials(ports),
  ...createOwnershipUseCases(ports),
  readDelivery,
  updateDelivery: updateDelivery(ports),
  readOrigins: readOrigins(ports),
  confirmOrigins: confirmOrigins(ports),
  importCollection: importCollection(ports, settings),
  planImport: planImport(ports, settings),
  readDocument: readDocument(ports),
  readOriginal: readOriginal(ports),
  readYaml: readYaml(ports),
  readMetadata: readMetadata(ports),
  readCredential: readCredential(ports),
  readMetadataHints: readMetadataHints(ports),
  listCollections: listCollections(ports),
  countCollections: countCollections(ports),
  findVisibleCollection: findVisibleCollection(ports),
  distinguishCollections: distinguishCollections(ports),
  // Operations
  searchOperations: searchOperations(ports),
  listOperations: listOperations(ports),
  describeOperation: describeOperation(ports),
  prepareOperation: prepareOperation(ports),
  ...createCallUseCases(ports, settings),
  readPermission: readPermission(ports),
  readOperationProgress: readOperationProgress(ports),
});

/** Access, groups, service accounts, requests and the audit log. */
const createAccessUseCases = (ports: Ports & WithUsageCounter, settings: Settings) => ({
  // Access
  grantAccess: grantAccess(ports),
  changeGrant: changeGrant(ports),
  reviewReadOnly: reviewReadOnly(ports),
  revokeAccess: revokeAccess(ports),
  grantMany: grantMany(ports),
  revokeMany: revokeMany(ports),
  readMatrix: readMatrix(ports),
  exportMatrix: exportMatrix(ports),
  listClientAccess: listClientAccess(ports),
  listCollectionClients: listCollectionClients(ports),
  // Groups
  createGroup: createGroup(ports),
  listGroups: listGroups(ports),
  countGroups: countGroups(ports),
  findGroup: findGroup(ports),
  readGroup: readGroup(ports),
  listGroupCollections: listGroupCollections(ports),
  updateGroup: updateGroup(ports),
  removeGroup: removeGroup(ports),
  addMember: addMember(ports),
  addMembers: addMembers(ports),
  removeMember: removeMember(ports),
  listMembers: listMembers(ports),
  listProfileGroups: listProfileGroups(ports),
  readOwnGroups: ({ profile }: Principal) => ports.groups.listByProfile(profile.id),
  clearGroupClaims: clearGroupClaims(ports),
  // Service accounts
  createServiceAccount: createServiceAccount(ports),
  listServiceAccounts: listServiceAccounts(ports),
  readServiceAccount: readServiceAccount(ports),
  updateServiceAccount: updateServiceAccount(ports),
  rotateServiceAccount: rotateServiceAccount(ports),
  revokeServiceAccount: revokeServiceAccount(ports),
  // Access requests
  readCatalog: readCatalog(ports),
  readDiscoverable: readDiscoverable(ports),
  requestAccess: requestAccess(ports, settings),
  listRequests: listRequests(ports),
  readRequest: readRequest(ports),
  approveRequest: approveRequest(ports),
  denyRequest: denyRequest(ports),
  withdrawRequest: withdrawRequest(ports),
  // Calls that need a decision
  holdCall: holdCall(ports, settings),
  redeemCall: redeemCall(ports),
  listCalls: listCalls(ports),
  readCall: readCall(ports),
  approveCall: approveCall(ports),
  denyCall: denyCall(ports),
  expireCalls: expireCalls(ports),
  // Audit
  writeAuditEntry: writeAuditEntry(ports),
  readAuditPage: readAuditPage(ports),
  nameActors: nameActors(ports),
  exportAudit: exportAudit(ports),
  exportNamedAudit: exportNamedAudit(ports),
  pruneAudit: pruneAudit(ports),
});

/** Limits, search, usage, jobs, health and secrets. */
const createServiceUseCases = (
  ports: Ports & WithUsageCounter & WithVisibleSets & WithDeliveryCounter,
  settings: Settings,
) => ({
  // Limits
  listTiers: listTiers(ports),
  createTier: createTier(ports),
  updateTier: updateTier(ports),
  removeTier: removeTier(ports),
  listOverrides: listOverrides(ports),
  listClientOverrides: listClientOverrides(ports),
  countOverrides: countOverrides(ports),
  createOverride: createOverride(ports),
  updateOverride: updateOverride(ports),
  removeOverride: removeOverride(ports),
  readEffectiveLimit: readEffectiveLimit(ports, settings),
  readLimitStatus: readLimitStatus(ports, settings),
  // Search
  searchCollections: searchCollections(ports),
  startReindex: startReindex(ports),
  readReindex: readReindex(ports),
  checkModels: checkModels(ports),
  readModelChange: readModelChange(ports),
  // Usage
  countUse: ports.uses.count,
  getUsageTotals: ports.uses.getTotals,
  readAffected: readAffected(ports),
  readUsage: readUsage(ports),
  readProfileUses: readProfileUses(ports),
  readOwnUse: readOwnUse(ports),
  readCollectionUses: readCollectionUses(ports),
  writeUsage: writeUsage(ports),
  pruneUsage: pruneUsage(ports),
  // Jobs, health and secrets
  sendExpiryNotices: sendExpiryNotices(ports, settings),
  relayJobs: relayJobs(ports),
  workJob: workJob(ports, settings),
  listDeadLetters: listDeadLetters(ports),
  pageDeadLetters: pageDeadLetters(ports),
  readJobs: readJobs(ports),
  requeueJob: requeueJob(ports),
  requeueEach: requeueEach(ports),
  requeueJobs: requeueJobs(ports),
  discardJob: discardJob(ports),
  readOutboxState: readOutboxState(ports),
  ...watchHealth(ports),
  resealSecrets: resealSecrets(ports),
});

export type UseCases = ReturnType<typeof createUseCases>;
