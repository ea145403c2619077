import type { AdminAuthority, Principal } from '../access/principal.ts';
import type { Ports } from '../ports/index.ts';
import type { Settings } from '../settings.ts';
import { type Counting, createUsageCounter } from '../usage/usage-counter.ts';
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
  readMetadata,
  readMetadataHints,
  readYaml,
} from './collections/read-collection.ts';
import { importCollection, planImport } from './collections/import-collection.ts';
import { findVisibleCollection } from './collections/find-collection.ts';
import { createCollection, removeCollection, updateCollection } from './collections/write-collection.ts';
import {
  changeExpiry,
  grantAccess,
  listClientAccess,
  listCollectionClients,
  revokeAccess,
} from './grants/grant-access.ts';
import {
  countGroups,
  createGroup,
  findGroup,
  forgetGroupClaims,
  listGroupCollections,
  listGroups,
  readGroup,
  removeGroup,
  updateGroup,
} from './groups/groups.ts';
import { addMember, addMembers, listMembers, listProfileGroups, removeMember } from './groups/members.ts';
import { grantMany, revokeMany } from './grants/grant-many.ts';
import { exportMatrix, readMatrix } from './grants/read-matrix.ts';
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
import { readLimitStandings } from './limits/read-standing.ts';
import { createTier, listTiers, removeTier, updateTier } from './limits/tiers.ts';
import { offerWritten } from './outbox/offer-jobs.ts';
import { approveMany } from './profiles/approve-many.ts';
import { claimFirstAdmin } from './profiles/claim-first-admin.ts';
import { announceExpiries } from './mails/announce-expiries.ts';
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
import { askForAccess, readCatalog, readDiscoverable, withdrawRequest } from './requests/ask-for-access.ts';
import { approveRequest, denyRequest } from './requests/decide-request.ts';
import { listRequests, readRequest } from './requests/read-requests.ts';
import { followModel } from './search/follow-model.ts';
import { readReindex, startReindex } from './search/reindex.ts';
import { searchCollections } from './search/search-collections.ts';
import { createVisibleSets, type Seeing } from './search/visible-sets.ts';
import { resealSecrets } from './secrets/reseal-secrets.ts';
import { describeOperation } from './operations/describe-operation.ts';
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
import { readCollectionUses, readOwnUse, readProfileUses, readUsage } from './usage/read-usage.ts';
import { pruneUsage, writeUsage } from './usage/write-usage.ts';

/** The menu: everything that the system can do. What it counts is its own until `writeUsage` writes it. */
export const createUseCases = (ports: Ports, settings: Settings) => {
  offerWritten(ports);
  const counting = { ...ports, uses: createUsageCounter(() => ports.clock.now()) };
  const searching = { ...counting, visibleSets: createVisibleSets(ports) };
  return { ...catalog(searching, settings), ...access(counting, settings), ...service(searching, settings) };
};

/** Who there is, and what can be used. */
const catalog = (ports: Ports & Counting & Seeing, settings: Settings) => ({
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
  listAdmins: (_authority: AdminAuthority) => ports.profiles.admins(),
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
  importCollection: importCollection(ports, settings),
  planImport: planImport(ports, settings),
  readDocument: readDocument(ports),
  readYaml: readYaml(ports),
  readMetadata: readMetadata(ports),
  readMetadataHints: readMetadataHints(ports),
  listCollections: listCollections(ports),
  countCollections: countCollections(ports),
  findVisibleCollection: findVisibleCollection(ports),
  // Operations
  searchOperations: searchOperations(ports),
  listOperations: listOperations(ports),
  describeOperation: describeOperation(ports),
  readOperationProgress: readOperationProgress(ports),
});

/** Who may use what, and what became of it. */
const access = (ports: Ports & Counting, settings: Settings) => ({
  // Access
  grantAccess: grantAccess(ports),
  changeExpiry: changeExpiry(ports),
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
  readOwnGroups: ({ profile }: Principal) => ports.groups.groupsOf(profile.id),
  forgetGroupClaims: forgetGroupClaims(ports),
  // Service accounts
  createServiceAccount: createServiceAccount(ports),
  listServiceAccounts: listServiceAccounts(ports),
  readServiceAccount: readServiceAccount(ports),
  updateServiceAccount: updateServiceAccount(ports),
  rotateServiceAccount: rotateServiceAccount(ports),
  revokeServiceAccount: revokeServiceAccount(ports),
  // Requests for access
  readCatalog: readCatalog(ports),
  readDiscoverable: readDiscoverable(ports),
  askForAccess: askForAccess(ports, settings),
  listRequests: listRequests(ports),
  readRequest: readRequest(ports),
  approveRequest: approveRequest(ports),
  denyRequest: denyRequest(ports),
  withdrawRequest: withdrawRequest(ports),
  // Audit
  writeAuditEntry: writeAuditEntry(ports),
  readAuditPage: readAuditPage(ports),
  nameActors: nameActors(ports),
  exportAudit: exportAudit(ports),
  exportNamedAudit: exportNamedAudit(ports),
  pruneAudit: pruneAudit(ports),
});

/** How it is used, found and kept going. */
const service = (ports: Ports & Counting & Seeing, settings: Settings) => ({
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
  readLimitStandings: readLimitStandings(ports, settings),
  // Search
  searchCollections: searchCollections(ports),
  startReindex: startReindex(ports),
  readReindex: readReindex(ports),
  followModel: followModel(ports),
  readModelChange: readModelChange(ports),
  // Use
  countUse: ports.uses.count,
  usageTotals: ports.uses.totals,
  readUsage: readUsage(ports),
  readProfileUses: readProfileUses(ports),
  readOwnUse: readOwnUse(ports),
  readCollectionUses: readCollectionUses(ports),
  writeUsage: writeUsage(ports),
  pruneUsage: pruneUsage(ports),
  // Jobs, health and secrets
  announceExpiries: announceExpiries(ports, settings),
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
