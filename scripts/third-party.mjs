// The packages whose code the build puts into dist, their notices, and the bill of materials (CycloneDX 1.6).
// The bundlers tell the modules: what is loaded and then dropped from the output is not in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX expression
 * @property {string} author
 * @property {string} source where its repository is; empty where it names none
 * @property {readonly string[]} needs the names and versions of its own dependencies, as Node finds them
 * @property {string} text of its licence and notice files
 */

/** The helpers that a bundler writes into its output are modules of this form. */
const HELPER = /^\0?(vite|rolldown)\/[\w./-]+$/;
const NOTICE_FILE = /^(?:licen[sc]e|copying|notice)(?:[.-]|$)/i;
/** Vite's file goes on with the licences of packages that run only while it builds. */
const END_OF_OWN_LICENSE = /^# Licenses of bundled dependencies$/m;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * The folder of the package that a module belongs to; null for our own.
 * @param {string} id @param {string} root
 */
export function packageFolderOf(id, root) {
  const [, helper] = HELPER.exec(id) ?? [];
  if (helper !== undefined) return join(root, 'node_modules', helper);
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return folder ?? null;
}

/**
 * A plugin for rolldown and Vite that adds the folder of each package that is in the output.
 * @param {Set<string>} folders @param {string} root
 */
export function recordPackages(folders, root) {
  /** @param {string} id */
  const add = (id) => {
    const folder = packageFolderOf(id, root);
    if (folder !== null) folders.add(folder);
  };
  return {
    name: 'record-packages',
    /**
     * @this {{ getModuleIds(): Iterable<string> }} @param {unknown} _options
     * @param {Record<string, { type: string, modules?: Record<string, unknown> }>} bundle
     */
    generateBundle(_options, bundle) {
      for (const { modules = {} } of Object.values(bundle)) Object.keys(modules).forEach(add);
      // A style sheet is an asset, which lists no modules.
      for (const id of this.getModuleIds()) if (/\.css(?:\?|$)/.test(id)) add(id);
    },
  };
}

/** @param {unknown} author as package.json has it */
function authorOf(author) {
  if (typeof author === 'string') return author.replace(/ *[<(].*/, '');
  return String(/** @type {{ name?: string } | undefined} */ (author)?.name ?? '');
}

/**
 * The name and version of a package as Node finds it; none where it is not installed.
 * @param {string} folder of its importer @param {string} name @returns {string[]}
 */
function findPackage(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return [`${name}@${JSON.parse(readFileSync(manifest, 'utf8')).version}`];
    if (dirname(at) === at) return [];
  }
}

/** @param {string} folder @returns {Package} */
export function readPackage(folder) {
  const { name, version, license, author, repository, dependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string')
    throw new Error(`${folder}/package.json names no licence: its code cannot be shipped`);
  const files = readdirSync(folder)
    .filter((file) => NOTICE_FILE.test(file))
    .sort();
  const texts = files.map(
    (file) => readFileSync(join(folder, file), 'utf8').split(END_OF_OWN_LICENSE)[0]?.trim() ?? '',
  );
  if (texts.length === 0) {
    if (license !== 'MIT')
      throw new Error(`${folder} has no text of its licence ${license}: its code cannot be shipped`);
    texts.push(`Copyright (c) ${authorOf(author) || `the authors of ${name}`}\n\n${MIT}`);
  }
  const url = String(repository?.url ?? repository ?? '');
  const source = url.replace(/^git\+/, '').replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, 'https://github.com/$1');
  const text = texts.join('\n\n').replaceAll('\r\n', '\n');
  const needs = Object.keys(dependencies ?? {}).flatMap((each) => findPackage(folder, each));
  return { name, version, license, author: authorOf(author), source, needs, text };
}

/** @param {Iterable<string>} folders @returns {Package[]} each version once, by name */
export function readPackages(folders) {
  const found = [...folders].filter((folder) => existsSync(folder)).map(readPackage);
  const byId = new Map(found.toReversed().map((each) => [`${each.name}@${each.version}`, each]));
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** @param {readonly Package[]} packages */
export function noticesText(packages) {
  const line = '-'.repeat(80);
  const head = `Baton contains code of these packages. Their licences follow.\n\n${packages
    .map(({ name, version, license }) => `- ${name} ${version}: ${license}\n`)
    .join('')}`;
  const parts = packages.map(({ name, version, source, text }) => {
    const from = source === '' ? '' : `${source}\n`;
    return `${line}\n${name} ${version}\n${from}\n${text}\n`;
  });
  return `${head}\n${parts.join('\n')}`;
}

/** @param {{ name: string, version: string }} of */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** @param {Package} each @param {Record<string, { version: string, integrity?: string }>} locked by path, as package-lock.json has it */
function componentOf({ name, version, license, author, source }, locked) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const isId = /^[\w.+-]+$/.test(license);
  const lockedAs = Object.entries(locked).find(
    ([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version,
  )?.[1].integrity;
  const [, sha512] = /^sha512-(\S+)$/.exec(lockedAs ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purlOf({ name, version }),
    ...(group && { group }),
    name: short,
    version,
    ...(author && { authors: [{ name: author }] }),
    scope: 'required',
    ...(sha512 && { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
    licenses: [isId ? { license: { id: license } } : { expression: license }],
    purl: purlOf({ name, version }),
    ...(source.includes('://') && { externalReferences: [{ type: 'vcs', url: source }] }),
  };
}

/**
 * CycloneDX 1.6. It has no time and no serial number: the same source gives the same bytes.
 * @param {readonly Package[]} packages
 * @param {{ manifest: { name: string, version: string, license: string }, locked: Record<string, { version: string, integrity?: string }> }} project
 */
export function billOfMaterials(packages, { manifest, locked }) {
  const { name, version, license } = manifest;
  /** @param {readonly string[]} ids */
  const refsOf = (ids) => packages.filter((each) => ids.includes(`${each.name}@${each.version}`)).map(purlOf);
  const own = { name, version };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purlOf(own),
        ...own,
        licenses: [{ license: { id: license } }],
        purl: purlOf(own),
      },
    },
    components: packages.map((each) => componentOf(each, locked)),
    dependencies: [
      { ref: purlOf(own), dependsOn: packages.map(purlOf) },
      ...packages.map((each) => ({ ref: purlOf(each), dependsOn: refsOf(each.needs) })),
    ],
  };
}
