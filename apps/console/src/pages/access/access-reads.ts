/** The reads that become stale when grants, groups or requests change. */
export const accessReads = [
  'GET /api/access/matrix',
  'GET /api/access/requests',
  'GET /api/access/requests/:request_id',
  'GET /api/access/clients/:client_profile_id/collections',
  'GET /api/access/collections/:collection_id/clients',
  'GET /api/groups',
  'GET /api/groups/:group_id',
  'GET /api/groups/:group_id/members',
  'GET /api/groups/:group_id/collections',
  'GET /api/profiles/:user_id/groups',
] as const;

/** The reads that become stale when a group is deleted, without the reads of the group itself. */
export const accessReadsWithoutGroup = accessReads.filter((name) => !name.startsWith('GET /api/groups/:group_id'));
