// Makes a fresh clone ready for `npm start` or `npm test`: packages, build, and for tests a browser. A clone that is
// ready costs well under a second. It uses modules of Node.js alone, since nothing is installed when it begins.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findChromium } from './chromium.mjs'
import { fetchChromium } from './packaged-chromium.mjs'

const root = resolve(import.meta.dirname, '..')
const purpose = process.argv[2] ?? 'start'

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

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

// A Node.js that is built on musl reports no version of glibc.
const ownLibc =
  process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'glibc'

/** Whether a package of the lock must be on this machine. An optional one that names no platform belongs to another. */
function isForHere({ os, cpu, libc, optional }) {
  if (optional && os === undefined && cpu === undefined) return false
  const fits = (list, own) =>
    list === undefined ||
    (list.every((name) => name.startsWith('!')) ? !list.includes(`!${own}`) : list.includes(own))
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, ownLibc)
}

/** npm notes at the very end of an install what it put where; an install that was cut short has no such note. */
function isInstalled() {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const locked = readJson('package-lock.json').packages
  const present = readJson('node_modules/.package-lock.json').packages
  return Object.entries(locked).every(
    ([path, { version, link, ...rest }]) =>
      !path.startsWith('node_modules/') || link || !isForHere(rest) || present[path]?.version === version,
  )
}

function install() {
  console.log('Installing packages …')
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', flags] : [process.execPath, [npm, ...flags]]
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: '' },
  })
  if (status !== 0) fail('npm ci failed: see above. Check the network and try again.')
}

/** Two commands at once on a fresh clone take turns. A lock whose owner has died counts for nothing. */
async function inTurn(work) {
  const lock = join(
    tmpdir(),
    `tollgate-prepare-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`,
  )
  while (!tryLock(lock)) await new Promise((resolve) => setTimeout(resolve, 200))
  try {
    await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function tryLock(lock) {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return true
  } catch {
    // The lock exists. It counts if the process that owns it still lives.
    if (!isOwned(lock)) removeStale(lock)
    return false
  }
}

function removeStale(lock) {
  try {
    rmSync(lock, { recursive: true, force: true })
  } catch (error) {
    fail(
      `${lock} is left of another account's start and cannot be removed (${error.code}). Remove it, and try again.`,
    )
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

/** What docs/proxy/ configures and a test starts. Where these cannot be installed, that test fails and says so. */
function provideBalancers() {
  if (process.platform !== 'linux') return
  const needed = ['/usr/sbin/haproxy', '/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_stream_module.so']
  if (needed.every((path) => existsSync(path))) return
  console.log('Installing HAProxy and nginx for the tests of their configurations …')
  installFromDebian('haproxy', 'nginx', 'libnginx-mod-stream')
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
await inTurn(async () => {
  if (!isInstalled()) install()
  const { buildAll } = await import('./build.mjs')
  await buildAll({ isNoted: true }).catch((error) => fail(`The build failed. ${error.message}`))
})
if (purpose === 'test') {
  provideBrowser()
  provideBalancers()
}
