import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../../support/run-baton.ts';

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const DIST = join(ROOT, 'dist');
const ENTRIES = ['main.js', 'library.js', 'protocols.js', 'demo-agent.js', 'network-bridge.js'];
const notices = readFileSync(join(DIST, 'THIRD-PARTY-NOTICES'), 'utf8');
const bill: Bill = JSON.parse(readFileSync(join(DIST, 'sbom.cdx.json'), 'utf8'));
const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);
const listed = new Set(bill.components.map(nameOf));

/** The text of an entry and of all chunks that it reaches: dist keeps those of earlier builds. */
function textOfBundle(): string {
  const files = new Set(ENTRIES);
  const texts: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(DIST, file), 'utf8');
    texts.push(text);
    for (const [, name] of text.matchAll(/["']\.\/(?:chunks\/)?([\w.-]+\.js)["']/g))
      if (existsSync(join(DIST, 'chunks', `${name}`))) files.add(`chunks/${name}`);
  }
  return texts.join('\n');
}

/** The bundler heads the code of each module with its path. */
function packagesInBundle(): string[] {
  const heads = textOfBundle().matchAll(/^\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/\n]+\/)?[^/\n]+)\//gm);
  return [...new Set([...heads].map(([, name]) => name ?? ''))].sort();
}

/** The packages that the source of the dashboard names: scripts and style sheets. */
function packagesOfDashboard(): string[] {
  const folder = join(ROOT, 'dashboard');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|css)$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
  const named = sources.flatMap((text) => [
    ...text.matchAll(/^(?:@?import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?['"]((?:@[\w-]+\/)?[\w-][\w.-]*)/gm),
  ]);
  return [...new Set(named.map(([, name]) => name ?? ''))].sort();
}

describe('the notices and the bill of materials of a build', () => {
  test('name each package of the server bundle', () => {
    const packages = packagesInBundle();
    assert.ok(packages.length > 20 && packages.includes('zod') && packages.includes('fastify'), packages.join(' '));
    for (const name of packages) {
      assert.ok(listed.has(name), `${name} is missing in the bill of materials`);
      assert.ok(notices.includes(`\n${name} `), `${name} is missing in the notices`);
    }
  });

  test('name each package that the dashboard imports', () => {
    const packages = packagesOfDashboard();
    assert.ok(packages.length > 8 && packages.includes('preact') && packages.includes('uplot'), packages.join(' '));
    for (const name of packages) {
      assert.ok(listed.has(name), `${name} is missing in the bill of materials`);
      assert.ok(notices.includes(`\n${name} `), `${name} is missing in the notices`);
    }
  });

  test('name the same versions, and the notices have the text of each licence', () => {
    for (const component of bill.components) {
      const head = `\n${nameOf(component)} ${component.version}\n`;
      const [, part = ''] = notices.split(head);
      assert.ok(part !== '', `no part of the notices begins with ${head.trim()}`);
      const [text = ''] = part.split(`\n${'-'.repeat(80)}\n`);
      assert.match(text, /copyright|licen[sc]e/i, head.trim());
      assert.ok(text.length > 400, `${head.trim()}: ${text.length} characters`);
    }
    assert.equal(notices.match(/^-{80}$/gm)?.length, bill.components.length);
  });

  test('the bill has what CycloneDX 1.6 requires', () => {
    assert.deepEqual([bill.bomFormat, bill.specVersion, bill.version], ['CycloneDX', '1.6', 1]);
    const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(bill.metadata.component.purl, `pkg:npm/${name}@${version}`);
    assert.equal(bill.metadata.component.type, 'application');
    for (const each of bill.components) {
      assert.equal(each.type, 'library');
      assert.equal(each['bom-ref'], each.purl);
      assert.equal(each.purl, `pkg:npm/${nameOf(each).replace('@', '%40')}@${each.version}`);
      assert.equal(each.licenses.length, 1, each.purl);
      for (const { alg, content } of each.hashes ?? []) {
        assert.equal(alg, 'SHA-512');
        assert.match(content, /^[0-9a-f]{128}$/);
      }
    }
    const refs = [bill.metadata.component, ...bill.components].map((each) => each['bom-ref']);
    assert.equal(new Set(refs).size, refs.length, 'a bom-ref stands for one component');
    assert.deepEqual(
      bill.dependencies.map(({ ref }) => ref),
      refs,
    );
    for (const { dependsOn } of bill.dependencies) {
      assert.equal(new Set(dependsOn).size, dependsOn.length);
      for (const ref of dependsOn) assert.ok(refs.includes(ref), ref);
    }
  });
});
