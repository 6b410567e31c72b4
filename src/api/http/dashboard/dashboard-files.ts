import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A file of the built dashboard. */
export interface DashboardFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Its name has a hash of its content, so a browser may keep it for good. */
  readonly isLasting: boolean;
  /** The same, compressed; made at the first request for it. */
  gzipped(): Promise<Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const INDEX = '/index.html';
const ASSETS = '/assets/';

/** The built dashboard in memory, by path. Only files that were there at the first request are ever served. */
export class DashboardFiles {
  readonly #folder: string | null;
  #files: ReadonlyMap<string, DashboardFile> | null = null;

  constructor(folder: string | null = findFolder()) {
    this.#folder = folder;
  }

  /** The page; null in an installation without a dashboard. */
  page(): DashboardFile | null {
    return this.#all().get(INDEX) ?? null;
  }

  /** A file that the page loads. */
  asset(path: string): DashboardFile | null {
    return path === INDEX ? null : (this.#all().get(path) ?? null);
  }

  #all(): ReadonlyMap<string, DashboardFile> {
    this.#files ??= this.#folder === null ? new Map() : readFiles(this.#folder);
    return this.#files;
  }
}

function readFiles(folder: string): ReadonlyMap<string, DashboardFile> {
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.replaceAll('\\', '/')}`;
    files.set(path, makeFile(readFileSync(join(folder, name)), type, path.startsWith(ASSETS)));
  }
  return files;
}

function makeFile(bytes: Buffer, type: string, isLasting: boolean): DashboardFile {
  let made: Promise<Buffer> | null = null;
  const gzipped = () => {
    made ??= promisify(process.getBuiltinModule('node:zlib').gzip)(bytes);
    return made;
  };
  return { bytes, type, isLasting, gzipped };
}

/** Beside the bundle of the node; for a node that runs from source, where the build puts it. */
function findFolder(): string | null {
  const places = ['./dashboard', '../dashboard', '../../../../dist/dashboard'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const built = folders.find((folder) => statSync(join(folder, 'assets'), { throwIfNoEntry: false })?.isDirectory());
  return built ?? null;
}
