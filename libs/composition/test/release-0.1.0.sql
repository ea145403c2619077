-- A database of release 0.1.0 (migrations 0001 to 0005): the default's local admin, an admin, a client and a registration
-- that no token has bound.
CREATE TABLE audit_days (
    scope text not null,
    day integer not null,
    entries bigint not null,
    primary key (scope, day)
  );
CREATE TABLE audit_entries (
    seq integer not null primary key autoincrement,
    id text not null,
    source text not null,
    actor_id text null,
    message text not null,
    timestamp text not null,
    instant bigint not null,
    received_at bigint not null,
    client_id text null,
    collection_id text null,
    action text null
  );
CREATE TABLE audit_totals (
    scope text not null primary key,
    entries bigint not null
  );
INSERT INTO audit_totals VALUES('client',0);
INSERT INTO audit_totals VALUES('system',0);
INSERT INTO audit_totals VALUES('all',0);
CREATE TABLE collections (
    id text not null primary key,
    name text not null,
    name_key text not null,
    description text not null,
    created_by text not null,
    created_at bigint not null,
    updated_at bigint not null,
    revision bigint not null,
    content_revision bigint not null,
    base_url text not null,
    derived_type text not null,
    derived_name text null,
    derived_in text null,
    stored_type text null,
    stored_name text null,
    stored_in text null,
    stored_sealed_value text null,
    document_digest text not null,
    import_key text null
  );
CREATE TABLE documents (
    collection_id text not null primary key,
    deflated blob not null,
    crc32 bigint not null,
    bytes bigint not null,
    constraint documents_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  );
CREATE TABLE embeddings (
    collection_id text not null primary key,
    model_id text not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector blob not null,
    constraint embeddings_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  );
CREATE TABLE epochs (
    id integer not null primary key,
    catalog bigint not null,
    embeddings bigint not null
  );
INSERT INTO epochs VALUES(1,0,0);
CREATE TABLE grants (
    profile_id text not null,
    collection_id text not null,
    granted_at bigint not null,
    primary key (profile_id, collection_id),
    constraint grants_profile_id_foreign foreign key (profile_id) references profiles (id) on update cascade on delete cascade,
    constraint grants_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  );
CREATE TABLE jobs (
    id text not null primary key,
    kind text not null,
    profile_id text null,
    collection_id text null,
    sealed text null,
    reason text null,
    job_group text null,
    due_at bigint not null,
    attempts integer not null default 0,
    leased_until bigint null,
    given_up integer not null default false,
    error text null
  , asked integer not null default 1);
CREATE TABLE overrides (
    id integer not null primary key autoincrement,
    profile_id text not null,
    client_id text not null,
    allowed bigint not null,
    window_seconds bigint not null,
    is_active integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint overrides_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade
  );
CREATE TABLE profiles (
    id text not null primary key,
    email text not null,
    full_name text not null,
    company_name text null,
    role text not null,
    status text not null,
    uid text not null,
    bound integer not null,
    client_id text null,
    tier text null,
    created_at bigint not null,
    updated_at bigint not null,
    approved_at bigint null,
    key_hash text null,
    key_tag bigint null,
    previous_hash text null,
    previous_tag bigint null,
    previous_until bigint null,
    grants_epoch bigint not null
  , issuer text null);
INSERT INTO profiles VALUES('e9090ff1-78a6-41ee-8bcb-5c0ba82cb357','admin@localhost','Administrator',NULL,'admin','approved','local-admin',1,NULL,NULL,1795345205925,1795345205925,1795345205925,NULL,NULL,NULL,NULL,NULL,0,'https://local-issuer.portico.invalid');
INSERT INTO profiles VALUES('844a359c-6be8-4d92-affd-7559df8e267a','alice@example.com','alice',NULL,'client','approved','alice',1,'b761f79d-bd8f-4963-8e13-bd01c0bfb0d6',NULL,1795345206046,1795345206345,1795345206178,NULL,NULL,NULL,NULL,NULL,0,'https://local-issuer.portico.invalid');
INSERT INTO profiles VALUES('2ac438ce-c693-4346-b51e-afc62e38376b','bob@example.com','bob',NULL,'admin','approved','bob',1,'c0205b42-eb97-4b71-ab07-5de99b9dcd91',NULL,1795345206066,1795345206353,1795345206297,NULL,NULL,NULL,NULL,NULL,0,'https://local-issuer.portico.invalid');
INSERT INTO profiles VALUES('fb175f55-6bce-46b3-b7b8-58aa4b34fdf5','carol@example.com','carol',NULL,'client','pending','carol',0,NULL,NULL,1795345206070,1795345206070,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL);
CREATE TABLE reindex_runs (
    seq integer not null primary key autoincrement,
    id text not null,
    total bigint not null,
    started_at bigint not null
  );
CREATE TABLE `schema_migrations` (`id` integer not null primary key autoincrement, `name` text not null, `executed_at` datetime not null default (strftime('%s', 'now') * 1000));
INSERT INTO schema_migrations VALUES(1,'0001-initial',1795345205000);
INSERT INTO schema_migrations VALUES(2,'0002-due-jobs-by-kind',1795345205000);
INSERT INTO schema_migrations VALUES(3,'0003-issuers',1795345205000);
INSERT INTO schema_migrations VALUES(4,'0004-bounded-document-facts',1795345205000);
INSERT INTO schema_migrations VALUES(5,'0005-notices-and-tiers',1795345205000);
CREATE TABLE settings (
    name text not null primary key,
    value text not null
  );
CREATE TABLE tiers (
    tier text not null primary key,
    allowed bigint not null,
    window_seconds bigint not null,
    description text null,
    is_active integer not null,
    created_at bigint not null,
    updated_at bigint not null
  );
CREATE INDEX audit_entries_action_index on audit_entries (action, instant, seq) where action is not null;
CREATE INDEX audit_entries_actor_index on audit_entries (actor_id, instant, seq) where actor_id is not null;
CREATE INDEX audit_entries_client_index on audit_entries (client_id, instant, seq) where client_id is not null;
CREATE INDEX audit_entries_collection_index on audit_entries (collection_id, instant, seq) where collection_id is not null;
CREATE INDEX audit_entries_instant_index on audit_entries (instant, seq);
CREATE INDEX audit_entries_received_index on audit_entries (received_at, seq);
CREATE INDEX audit_entries_source_index on audit_entries (source, instant, seq);
CREATE UNIQUE INDEX collections_import_key_unique on collections (import_key);
CREATE INDEX collections_name_key_index on collections (name_key, id);
CREATE UNIQUE INDEX embeddings_sequence_unique on embeddings (sequence);
CREATE INDEX grants_collection_index on grants (collection_id);
CREATE INDEX jobs_due_index on jobs (due_at, id) where given_up = false;
CREATE INDEX jobs_group_index on jobs (job_group);
CREATE INDEX jobs_kind_index on jobs (kind, due_at, id) where given_up = false;
CREATE INDEX jobs_profile_index on jobs (profile_id);
CREATE UNIQUE INDEX overrides_active_unique on overrides (profile_id) where is_active = true;
CREATE INDEX overrides_profile_index on overrides (profile_id);
CREATE UNIQUE INDEX profiles_client_id_unique on profiles (client_id);
CREATE INDEX profiles_created_at_index on profiles (created_at, id);
CREATE UNIQUE INDEX profiles_email_unique on profiles (email);
CREATE INDEX profiles_role_index on profiles (role);
CREATE UNIQUE INDEX profiles_uid_unique on profiles (uid);
CREATE UNIQUE INDEX jobs_notice_unique on jobs (profile_id) where kind = 'mail.notice';
