/** What a change of grants, groups or requests makes old. */
export const touchedByAccess = [
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

/** What the end of a group makes old: nothing that was read of the group itself. */
export const touchedByGroupEnd = touchedByAccess.filter((name) => !name.startsWith('GET /api/groups/:group_id'));
