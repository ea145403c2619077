import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { version } from '@portico/composition';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

interface Manifest {
  readonly version?: string;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
interface Lock {
  readonly version?: string;
  readonly packages: Readonly<Record<string, Manifest & { readonly resolved?: string; readonly link?: true }>>;
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const readJson = <T>(path: string): T => JSON.parse(textOf(path)) as T;

const manifests = globSync(
  ['package.json', '{apps,libs,libs/adapters}/*/package.json', 'tools/{.,node24}/package.json'],
  {
    cwd: root,
  },
).map((path) => [dirname(path), readJson<Manifest>(path)] as const);
const rootManifest = readJson<Manifest>('package.json');
const lock = readJson<Lock>('package-lock.json');

describe('one licence', () => {
  test('is the full text of Apache-2.0', () => {
    const text = textOf('LICENSE');
    expect(text.trimStart()).toMatch(/^Apache License\n +Version 2\.0, January 2004\n/);
    expect(text).toContain('APPENDIX: How to apply the Apache License to your work.');
  });

  test('is named by every package', () => {
    expect(manifests.length).toBeGreaterThan(20);
    expect(manifests.filter(([, { license }]) => license !== 'Apache-2.0').map(([folder]) => folder)).toEqual([]);
  });

  test('is named by the image and included in it', () => {
    const dockerfile = textOf('Dockerfile');
    expect(dockerfile).toContain('org.opencontainers.image.licenses=Apache-2.0');
    expect(dockerfile).toMatch(/^COPY LICENSE NOTICE /m);
    for (const file of ['!LICENSE', '!NOTICE']) expect(textOf('.dockerignore').split('\n')).toContain(file);
  });
});

describe('one version', () => {
  test('is only in the root manifest', () => {
    expect(rootManifest.version).toMatch(/^\d+\.\d+\.\d+$/);
    const foldersWithVersion = manifests.filter((entry) => 'version' in entry[1]).map(([folder]) => folder);
    expect(foldersWithVersion).toEqual(['.']);
  });

  test('is the same in the lockfile, the sources, and the latest section of the changelog', () => {
    const changelogVersions = [...textOf('CHANGELOG.md').matchAll(/^## \[?([\d.]+)\]?/gm)].map(([, name]) => name);
    const versions = [lock.version, lock.packages['']?.version, version, changelogVersions[0]];
    expect(versions).toEqual(versions.map(() => rootManifest.version));
  });

  test('is in the OpenAPI document of a service, and printed by the tool', async () => {
    const installation = await createInstallation();
    onTestFinished(() => installation.remove());
    const { address } = await installation.compose();
    const { info } = (await (await fetch(`${address}/openapi.json`)).json()) as { readonly info: object };
    expect(info).toMatchObject({ version: rootManifest.version, license: { identifier: rootManifest.license } });
    expect((await installation.runTool('--version')).stdout).toBe(`${rootManifest.version}\n`);
  });

  test('is passed to the image of a release', () => {
    expect(textOf('Dockerfile')).toContain('org.opencontainers.image.version=${VERSION}');
    const release = textOf('.github/workflows/release.yml');
    expect(release).toContain('node -p \'require("./package.json").version\'');
    expect(release).toContain('build-args: VERSION=${{ steps.release.outputs.version }}');
  });
});

describe('one Node', () => {
  const pinnedVersion = textOf('.nvmrc').trim();

  test.each(['Dockerfile', '.devcontainer/Dockerfile'])('is the base of %s', (path) => {
    expect(pinnedVersion).toMatch(/^24\.\d+\.\d+$/);
    expect([...textOf(path).matchAll(/\bnode:([\d.]+)-/g)].map(([, nodeVersion]) => nodeVersion)).toEqual([
      pinnedVersion,
    ]);
  });

  test('is installed by npm ci on a machine with an older one', () => {
    const binaries = Object.values(readJson<Manifest>('tools/node24/package.json').optionalDependencies ?? {});
    expect(binaries).toEqual(binaries.map(() => pinnedVersion));
  });
});

test('the lockfiles name no registry, so that any registry works', () => {
  for (const path of ['package-lock.json', 'tools/node24/package-lock.json']) {
    const entries = Object.entries(readJson<Lock>(path).packages);
    expect(entries.filter(([, { resolved, link }]) => resolved && !link).map(([folder]) => folder)).toEqual([]);
  }
});

test('the development container has the programs that .ci/run needs', () => {
  const requiredPackages = [...textOf('.ci/run').matchAll(/missing\+=\(([\w -]+)\)/g)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  expect(requiredPackages).toContain('postgresql');
  const installedPackages = textOf('.devcontainer/Dockerfile').split(/\s+/);
  expect(requiredPackages.filter((name) => !installedPackages.includes(name))).toEqual([]);
});
