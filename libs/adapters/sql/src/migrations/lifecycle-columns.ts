/** Returns the statements that add the lifecycle, owner, tags and change policy of collections. */
export const addLifecycleColumns = (text: string): readonly string[] => [
  `alter table collections add column lifecycle ${text} not null default 'active'`,
  'alter table collections add column lifecycle_since bigint null',
  'alter table collections add column lifecycle_sunset bigint null',
  `alter table collections add column lifecycle_successor ${text} null`,
  `alter table collections add column lifecycle_text ${text} null`,
  `alter table collections add column owner_group ${text} null`,
  `alter table collections add column tags ${text} not null default '[]'`,
  `alter table collections add column tag_keys ${text} not null default ''`,
  `alter table collections add column change_policy ${text} null`,
  "create index collections_lifecycle_index on collections (lifecycle, id) where lifecycle <> 'active'",
  'create index collections_owner_index on collections (owner_group, id) where owner_group is not null',
  `create index collections_successor_index on collections (lifecycle_successor)
    where lifecycle_successor is not null`,
];
