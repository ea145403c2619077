// Creates the secrets of the stack, one file each, in a folder for each container that reads them. Existing ones are never
// changed by a later start. It also gives Ollama's volume to its user, because Docker creates volumes for root. The service
// `keys` of docker-compose.yml runs it, as root, because the files belong to different users.
//
//   make     (default) creates missing secrets
//   rotate   replaces the secrets key; the earlier one can still open what it sealed
//   forget   removes the earlier secrets keys: after `portico keys reseal`
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, closeSync, existsSync, fsyncSync, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import { openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { exit, getuid, argv, stderr, stdout } from 'node:process';

const root = '/secrets';

/** The reader of each folder: the user of that image. */
const owners = { portico: 10_001, postgres: 999, redis: 999, qdrant: 1_000, keycloak: 1_000, ollama: 1_000 };

const password = () => randomBytes(24).toString('base64url');
const makeKey = () => randomBytes(32).toString('base64');

const make = (folder = root) => {
  const keep = keeperOf(folder);
  const postgres = keep('postgres/password', password);
  const redis = keep('redis/password', password);
  const qdrant = keep('qdrant/api-key', password);
  keep('redis/redis.conf', () => `requirepass ${redis}\n`);
  keep('keycloak/admin-password', password);
  // Keycloak writes its certificate there itself, readable by everybody.
  mkdirSync(join(folder, 'identity'), { recursive: true });
  own(join(folder, 'identity'), owners.keycloak, 0o755);
  giveAll(join(folder, 'ollama'), owners.ollama);
  keep('portico/database-url', () => `postgresql://portico:${postgres}@postgres:5432/portico`);
  keep('portico/redis-url', () => `redis://:${redis}@redis:6379/0`);
  keep('portico/qdrant-api-key', () => qdrant);
  keep('portico/secrets.key', makeKey);
  keep('portico/secrets.key.previous', () => '');
};

/** Writes the earlier keys first: a crash in between leaves the present key in both places, which is harmless. */
const rotate = (folder = root) => {
  make(folder);
  const current = join(folder, 'portico/secrets.key');
  const previous = join(folder, 'portico/secrets.key.previous');
  const earlier = readFileSync(previous, 'utf8').trim();
  const present = readFileSync(current, 'utf8').trim();
  write(previous, earlier ? `${present},${earlier}` : present, owners.portico);
  write(current, makeKey(), owners.portico);
  stdout.write(
    'There is a new secrets key. Now: restart http and worker, portico keys reseal, forget, restart again.\n',
  );
};

const forget = (folder = root) => {
  make(folder);
  write(join(folder, 'portico/secrets.key.previous'), '', owners.portico);
  stdout.write('The earlier secrets keys are gone.\n');
};

/** Returns a file's content; creates the file if it is missing. */
const keeperOf = (folder) => (name, content) => {
  const [reader] = name.split('/');
  const path = join(folder, name);
  if (!existsSync(path)) {
    mkdirSync(join(folder, reader), { recursive: true });
    write(path, content(), owners[reader]);
    stdout.write(`${name} was made\n`);
  }
  own(join(folder, reader), owners[reader], 0o500);
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
  own(draft, owner, 0o400);
  renameSync(draft, path);
};

/** Only root can give files away; without root they stay with the current user. */
const own = (path, owner, mode) => {
  if (getuid?.() === 0) chownSync(path, owner, owner);
  chmodSync(path, mode);
};

/** Gives a folder to its owner, including what an earlier version of the stack left there as root. */
const giveAll = (folder, owner) => {
  mkdirSync(folder, { recursive: true });
  if (getuid?.() !== 0) return;
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  for (const path of [folder, ...paths]) if (lstatSync(path).uid !== owner) lchownSync(path, owner, owner);
};

const commands = { make, rotate, forget };
const [, , name = 'make', folder] = argv;
const command = Object.hasOwn(commands, name) ? commands[name] : null;
if (!command) {
  stderr.write(`make-secrets: ${name} is none of ${Object.keys(commands).join(', ')}\n`);
  exit(2);
}
command(folder);
