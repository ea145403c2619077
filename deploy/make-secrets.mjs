// Creates the secrets of the stack, one file each, in a folder for each container that reads them. A later start never
// changes existing ones. It also changes the owner of Ollama's volume, because Docker creates volumes for root. The
// service `keys` of docker-compose.yml runs it as root, because the files belong to different users.
//
//   make     (default) creates missing secrets
//   rotate   replaces the secrets key; the old one can still open data sealed with it
//   forget   removes the old secrets keys: after `portico keys reseal`
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, closeSync, existsSync, fsyncSync, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import { openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { exit, getuid, argv, stderr, stdout } from 'node:process';

const root = '/secrets';

/** The user id that reads each folder: the user of that image. */
const owners = { portico: 10_001, postgres: 999, redis: 999, qdrant: 1_000, keycloak: 1_000, ollama: 1_000 };

const password = () => randomBytes(24).toString('base64url');
const createKey = () => randomBytes(32).toString('base64');

const make = (folder = root) => {
  const ensure = ensureIn(folder);
  const postgres = ensure('postgres/password', password);
  const redis = ensure('redis/password', password);
  const qdrant = ensure('qdrant/api-key', password);
  ensure('redis/redis.conf', () => `requirepass ${redis}\n`);
  ensure('keycloak/admin-password', password);
  // Keycloak writes its certificate there itself, readable by everyone.
  mkdirSync(join(folder, 'identity'), { recursive: true });
  setOwner(join(folder, 'identity'), owners.keycloak, 0o755);
  setOwnerOfAll(join(folder, 'ollama'), owners.ollama);
  ensure('portico/database-url', () => `postgresql://portico:${postgres}@postgres:5432/portico`);
  ensure('portico/redis-url', () => `redis://:${redis}@redis:6379/0`);
  ensure('portico/qdrant-api-key', () => qdrant);
  ensure('portico/secrets.key', createKey);
  ensure('portico/secrets.key.previous', () => '');
};

/** Writes the earlier keys first: a crash in between leaves the current key in both files, which is harmless. */
const rotate = (folder = root) => {
  make(folder);
  const current = join(folder, 'portico/secrets.key');
  const previous = join(folder, 'portico/secrets.key.previous');
  const earlier = readFileSync(previous, 'utf8').trim();
  const currentKey = readFileSync(current, 'utf8').trim();
  write(previous, earlier ? `${currentKey},${earlier}` : currentKey, owners.portico);
  write(current, createKey(), owners.portico);
  stdout.write(
    'There is a new secrets key. Now: restart http and worker, portico keys reseal, forget, restart again.\n',
  );
};

const forget = (folder = root) => {
  make(folder);
  write(join(folder, 'portico/secrets.key.previous'), '', owners.portico);
  stdout.write('The earlier secrets keys are removed.\n');
};

/** Returns a function that returns a file's content, and creates the file first if it is missing. */
const ensureIn = (folder) => (name, createContent) => {
  const [reader] = name.split('/');
  const path = join(folder, name);
  if (!existsSync(path)) {
    mkdirSync(join(folder, reader), { recursive: true });
    write(path, createContent(), owners[reader]);
    stdout.write(`${name} was created\n`);
  }
  setOwner(join(folder, reader), owners[reader], 0o500);
  return readFileSync(path, 'utf8').trim();
};

/** Writes the file completely or not at all, readable only by its owner. */
const write = (path, content, owner) => {
  const draft = `${path}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o400);
  writeSync(file, content);
  fsyncSync(file);
  closeSync(file);
  setOwner(draft, owner, 0o400);
  renameSync(draft, path);
};

/** Only root can change the owner of files; otherwise they stay with the current user. */
const setOwner = (path, owner, mode) => {
  if (getuid?.() === 0) chownSync(path, owner, owner);
  chmodSync(path, mode);
};

/** Changes the owner of a folder and its files, which an earlier version of the stack created as root. */
const setOwnerOfAll = (folder, owner) => {
  mkdirSync(folder, { recursive: true });
  if (getuid?.() !== 0) return;
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  for (const path of [folder, ...paths]) if (lstatSync(path).uid !== owner) lchownSync(path, owner, owner);
};

const commands = { make, rotate, forget };
const [, , name = 'make', folder] = argv;
const command = Object.hasOwn(commands, name) ? commands[name] : null;
if (!command) {
  stderr.write(`make-secrets: ${name} is not one of ${Object.keys(commands).join(', ')}\n`);
  exit(2);
}
command(folder);
