// Builds what `npm start` runs: the console by Vite, the server's programs by esbuild. Skips what is already built of
// the very same sources. `node tools/build.mjs --force` builds anyway, `--server-into <folder>` the server alone,
// `--client-into <folder>` the client alone, `--library-into <folder>` the SMPP library alone.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { licenceText } from './licences.mjs'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'dist')

const serverSources = [
  'contract/src',
  'smpp/src',
  'server/src',
  'bench',
  'server/drills',
  'server/peers',
  // Tests and drills read in one place what runs on this machine.
  'server/test',
  'package.json',
  'package-lock.json',
]
const librarySources = ['smpp/src', 'smpp/README.md', 'smpp/package.json', 'package-lock.json']
const clientSources = ['client', 'contract/src', 'package-lock.json']
const consoleSources = ['contract/src', 'web', 'package-lock.json', 'tools/licences.mjs']

/** Every file below the given paths, tests and built files left out. */
function filesBelow(paths) {
  const found = []
  const walk = (path) => {
    if (/\.test\.tsx?$|(^|\/)(node_modules|dist)$/.test(path)) return
    if (!existsSync(join(root, path))) return
    const entries = readdirSync(join(root, path), { withFileTypes: true })
    for (const entry of entries) {
      const child = `${path}/${entry.name}`
      if (entry.isDirectory()) walk(child)
      else if (!/\.test\.tsx?$/.test(entry.name)) found.push(child)
    }
  }
  for (const path of paths) {
    if (/\.(json|mjs|md)$/.test(path)) found.push(path)
    else walk(path)
  }
  return found.toSorted((one, other) => (one < other ? -1 : 1))
}

/**
 * The content, not the time: a checkout touches files without changing them. Nor the version of Node.js, which changes
 * nothing of what is built.
 */
function hashOf(paths) {
  const hash = createHash('sha256')
  const own = ['tools/build.mjs', ...filesBelow(paths)]
  for (const path of own)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

const stampOf = (name) => join(out, `.${name}`)

/** Whether the stamp says that `product` was built of sources with this hash. */
function isCurrent(name, hash, product) {
  const stamp = stampOf(name)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && existsSync(join(root, product))
}

/**
 * Runs `build` unless its stamp says that it was done for these sources. It builds beside what is there, which a build
 * that fails leaves as it is; the stamp is written last.
 */
async function unlessBuilt(name, paths, product, build, isForced) {
  const stamp = stampOf(name)
  const hash = hashOf(paths)
  if (isCurrent(name, hash, product) && !isForced) return false
  const [next, last] = [join(out, `.next-${name}`), join(out, `.last-${name}`)]
  mkdirSync(out, { recursive: true })
  await build(next)
  rmSync(stamp, { force: true })
  rmSync(last, { recursive: true, force: true })
  const folder = dirname(join(root, product))
  if (existsSync(folder)) renameSync(folder, last)
  renameSync(next, folder)
  writeFileSync(stamp, hash)
  rmSync(last, { recursive: true, force: true })
  return true
}

const serverProduct = 'dist/server/main.js'
const consoleProduct = 'web/dist/index.html'

/** Whether what `npm start` runs is built of these very sources. */
export function isBuilt() {
  return (
    isCurrent('server-sources', hashOf(serverSources), serverProduct) &&
    isCurrent('console-sources', hashOf(consoleSources), consoleProduct)
  )
}

const entriesOf = (names) => names.map((name) => `server/${name}.ts`)

/** What an operator starts: the programs of a release. */
export const operatorPrograms = entriesOf([
  'src/main',
  'src/programs/send',
  'src/programs/conformance',
  'src/programs/verify-statement',
  'src/programs/verify-audit',
  'src/programs/db-shell',
  'src/programs/explain-search',
  'src/programs/reset-password',
  'src/programs/rotate-key',
  'src/programs/backup',
  'src/programs/restore',
  'src/programs/move-to',
])

const programs = [
  ...operatorPrograms,
  ...entriesOf([
    'src/programs/demo',
    'drills/drill',
    // Loaded into a gateway by a drill.
    'drills/skewed-clock',
    'peers/peers',
  ]),
  'bench/bench.ts',
]

/** Bundles programs of the server into a folder: all of them, with source maps, unless told otherwise. */
export async function buildServer(
  outdir = join(out, 'server'),
  { entries = programs, hasSourceMaps = true } = {},
) {
  const { build } = await import('esbuild')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((path) => ({ in: path, out: basename(path, '.ts') })),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: hasSourceMaps,
    logLevel: 'warning',
    // CommonJS packages require the modules of Node.js.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [keepPackagesOutside],
  })
}

/**
 * Puts the server that these sources make into a folder: copies the one in dist/ if it was built from them, else builds
 * it.
 */
async function provideServer(outdir) {
  const isBuilt = isCurrent('server-sources', hashOf(serverSources), serverProduct)
  if (isBuilt) cpSync(join(out, 'server'), outdir, { recursive: true })
  else await buildServer(outdir)
}

/**
 * Makes the package for programs outside: JavaScript and types without any dependency, from the contract (client/README.md).
 */
export async function buildClient(outdir = join(out, 'client')) {
  const { build } = await import('esbuild')
  const shared = { absWorkingDir: root, bundle: true, format: 'esm', logLevel: 'warning' }
  rmSync(outdir, { recursive: true, force: true })
  const [writer] = (
    await build({
      ...shared,
      entryPoints: ['client/src/write-package.ts'],
      platform: 'node',
      write: false,
      // zod too: what is loaded from a text has no folder to find packages from.
    })
  ).outputFiles
  const { writeOperations, writeDeclarations } = await import(
    `data:text/javascript;base64,${Buffer.from(writer.contents).toString('base64')}`
  )
  await build({
    ...shared,
    entryPoints: ['client/src/runtime.ts'],
    outfile: join(outdir, 'index.js'),
    target: 'es2022',
    define: { OPERATIONS: writeOperations() },
  })
  const read = (name) => readFileSync(join(root, 'client', name), 'utf8')
  writeFileSync(join(outdir, 'index.d.ts'), writeDeclarations(read('src/public-types.ts')))
  writeFileSync(join(outdir, 'README.md'), read('README.md'))
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entry = {
    name: 'tollgate-client',
    version,
    license,
    type: 'module',
    main: 'index.js',
    types: 'index.d.ts',
  }
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(entry, null, 2)}\n`)
}

/** Makes the package of the SMPP library: JavaScript with one entry, types, and no dependency (smpp/README.md). */
export async function buildLibrary(outdir = join(out, 'smpp')) {
  const { build } = await import('esbuild')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: ['smpp/src/index.ts'],
    outfile: join(outdir, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  })
  const settings = {
    noEmit: false,
    typeRoots: [join(root, 'node_modules/@types')],
    declaration: true,
    emitDeclarationOnly: true,
    outDir: join(outdir, 'types'),
    rootDir: join(root, 'smpp/src'),
  }
  const project = join(outdir, 'tsconfig.json')
  const extended = join(root, 'smpp/tsconfig.json')
  writeFileSync(
    project,
    JSON.stringify({
      extends: extended,
      compilerOptions: settings,
      include: [],
      files: [join(root, 'smpp/src/index.ts')],
    }),
  )
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
    stdio: 'inherit',
  })
  rmSync(project)
  for (const path of readdirSync(join(outdir, 'types'), { recursive: true, encoding: 'utf8' })) {
    const file = join(outdir, 'types', path)
    // Outside, a type is found beside the name of its JavaScript.
    if (path.endsWith('.d.ts'))
      writeFileSync(file, readFileSync(file, 'utf8').replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
  const { version } = JSON.parse(readFileSync(join(root, 'smpp/package.json'), 'utf8'))
  const { license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entry = {
    name: '@tollgate/smpp',
    version,
    license,
    type: 'module',
    exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
    engines: { node: '>=20' },
  }
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(entry, null, 2)}\n`)
  writeFileSync(join(outdir, 'README.md'), readFileSync(join(root, 'smpp/README.md'), 'utf8'))
}

// Packages of plain JavaScript that a start needs: read from one file, they load in a quarter of the time. Those with
// natives or data files, and those that are loaded late, stay where npm put them.
const bundled = [
  '@fastify/compress',
  '@fastify/multipart',
  '@fastify/static',
  '@noble/hashes',
  '@scure/base',
  '@zxcvbn-ts/language-common',
  'aws4fetch',
  'fastify',
  'kysely',
  'libphonenumber-js',
  'nodemailer',
  'otpauth',
  'pg',
  'pg-copy-streams',
  'pino',
  'pino-pretty',
  'prom-client',
  'undici',
  'zod',
]

/** Our workspaces are TypeScript, so they go in, and so does what a bundled package imports. */
const keepPackagesOutside = {
  name: 'keep-packages-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const name = path.startsWith('@') ? path.split('/', 2).join('/') : path.split('/', 1)[0]
      const isInside =
        kind === 'entry-point' ||
        path.startsWith('@tollgate/') ||
        bundled.includes(name) ||
        importer.includes('/node_modules/')
      return isInside ? undefined : { path, external: true }
    })
  },
}

async function buildConsole(outDir) {
  const { build } = await import('vite')
  await build({ root: join(root, 'web'), logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  // Bundling takes the notices out of the code, and most licences ask for them.
  writeFileSync(join(outDir, 'licences.txt'), licenceText())
}

/** Gives the names of what had to be built. */
export async function buildAll({ isForced = false, isNoted = false } = {}) {
  const note = (text) => isNoted && console.log(text)
  const built = []
  const server = async (folder) => {
    note('Building the server …')
    await buildServer(folder)
  }
  const web = async (folder) => {
    note('Building the console …')
    await buildConsole(folder)
  }
  const unless = async (name, paths, product, build) => {
    if (await unlessBuilt(`${name}-sources`, paths, product, build, isForced)) built.push(name)
  }
  await unless('server', serverSources, serverProduct, server)
  await unless('console', consoleSources, consoleProduct, web)
  await unless('client', clientSources, 'dist/client/index.js', buildClient)
  await unless('library', librarySources, 'dist/smpp/index.js', buildLibrary)
  return built
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // Tests of whole processes get a server of their own from these sources, beside the one that may be running.
  const own = process.argv.indexOf('--server-into')
  const client = process.argv.indexOf('--client-into')
  const library = process.argv.indexOf('--library-into')
  if (own > 0) await provideServer(resolve(process.argv[own + 1]))
  else if (client > 0) await buildClient(resolve(process.argv[client + 1]))
  else if (library > 0) await buildLibrary(resolve(process.argv[library + 1]))
  else await buildAll({ isForced: process.argv.includes('--force'), isNoted: true })
}
