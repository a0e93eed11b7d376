// The packages of the lock: which ones a workspace needs on this machine, whether they are there, and how they are installed
// without losing those that are.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

// A Node.js that is built on musl reports no version of glibc.
const ownLibc =
  process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'glibc'

/** This machine, as packages name machines. */
export const thisMachine = { os: process.platform, cpu: process.arch, libc: ownLibc }

/** Whether a package of the lock must be on a machine. An optional one that names no platform belongs to another. */
export function isFor(machine, { os, cpu, libc, optional }) {
  if (optional && os === undefined && cpu === undefined) return false
  const fits = (list, own) =>
    list === undefined ||
    (list.every((name) => name.startsWith('!')) ? !list.includes(`!${own}`) : list.includes(own))
  return fits(os, machine.os) && fits(cpu, machine.cpu) && fits(libc, machine.libc)
}

/** What `npm start` runs once it is built. The console is built into files of its own. */
export const runningWorkspaces = ['server', 'contract', 'smpp']

/**
 * The places in the lock of all packages that these workspaces need at run time, as Node.js finds them: beside whoever
 * needs them, or further up. Workspaces themselves are left out.
 */
export function neededPackages(root, workspaces = runningWorkspaces) {
  const { packages } = readJson(join(root, 'package-lock.json'))
  const found = new Set()
  const visit = (from) => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[from]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const path = placeOf(packages, from, name)
      if (path === undefined || found.has(path) || packages[path].link) continue
      found.add(path)
      visit(path)
    }
  }
  for (const workspace of workspaces) visit(workspace)
  return [...found].toSorted((one, other) => (one < other ? -1 : 1))
}

function placeOf(packages, from, name) {
  for (let folder = from; ; folder = folder === '' || folder === '.' ? undefined : dirname(folder)) {
    if (folder === undefined) return undefined
    const path = folder === '.' || folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
  }
}

/**
 * Whether the packages of the lock are there: all of them, or those of `paths`. npm notes at the very end of an install
 * what it put where; an install that was cut short has no such note.
 */
export function isInstalled(root, paths) {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const locked = readJson(join(root, 'package-lock.json')).packages
  const present = readJson(join(root, 'node_modules/.package-lock.json')).packages
  const asked = paths ?? Object.keys(locked).filter((path) => path.startsWith('node_modules/'))
  return asked.every((path) => {
    const { version, link, ...rest } = locked[path]
    return link || !isFor(thisMachine, rest) || present[path]?.version === version
  })
}

/**
 * Whether what the workspaces themselves name is there in the version that they name, so that they can be built and run with
 * it, although packages further down differ from the lock.
 */
export function fitsWorkspaces(root) {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const locked = readJson(join(root, 'package-lock.json')).packages
  const present = readJson(join(root, 'node_modules/.package-lock.json')).packages
  return ['', ...locked[''].workspaces].every((workspace) => {
    const { dependencies, devDependencies } = locked[workspace]
    return Object.keys({ ...dependencies, ...devDependencies }).every((name) => {
      const path = placeOf(locked, workspace, name)
      return path === undefined || locked[path].link || present[path]?.version === locked[path].version
    })
  })
}

/** Where packages are installed before they take the place of those that are there, which wait beside it meanwhile. */
const nextFolder = '.next-packages'
const lastFolder = '.last-packages'

/**
 * Installs all packages of the lock beside those that are there, and exchanges them when they are complete. Returns whether it
 * succeeded; if not, nothing has changed.
 */
export function installPackages(root) {
  const next = join(root, nextFolder)
  try {
    rmSync(next, { recursive: true, force: true })
    mkdirSync(next)
    const { workspaces } = readJson(join(root, 'package.json'))
    for (const file of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      ...workspaces.map((each) => `${each}/package.json`),
    ])
      if (existsSync(join(root, file))) cpSync(join(root, file), join(next, file))
    if (!runNpm(next)) return false
    exchange(root, workspaces)
    return true
  } catch (error) {
    console.error(`The packages cannot be put into ${root}: ${error.message}`)
    return false
  } finally {
    try {
      rmSync(next, { recursive: true, force: true })
    } catch {
      // The folder belongs to another account, and so nothing was made in it.
    }
  }
}

function runNpm(folder) {
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', flags] : [process.execPath, [npm, ...flags]]
  const environment = { ...process.env, NODE_ENV: '' }
  // npm would install into the folder of the command that called us.
  for (const name of Object.keys(environment))
    if (/^npm_config_local_prefix$/i.test(name)) delete environment[name]
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit', env: environment })
  return status === 0 && existsSync(join(folder, 'node_modules/.package-lock.json'))
}

function exchange(root, workspaces) {
  const [next, last] = [join(root, nextFolder), join(root, lastFolder)]
  rmSync(last, { recursive: true, force: true })
  mkdirSync(last)
  const folders = ['.', ...workspaces].map((workspace) => join(workspace, 'node_modules'))
  for (const folder of folders) {
    mkdirSync(dirname(join(last, folder)), { recursive: true })
    if (existsSync(join(root, folder))) renameSync(join(root, folder), join(last, folder))
    if (existsSync(join(next, folder))) renameSync(join(next, folder), join(root, folder))
  }
  rmSync(last, { recursive: true, force: true })
}

/** Puts packages back that an exchange has taken away, if it was killed before it put the others in their place. */
export function healExchange(root) {
  if (existsSync(join(root, 'node_modules')) || !existsSync(join(root, lastFolder, 'node_modules'))) return
  renameSync(join(root, lastFolder, 'node_modules'), join(root, 'node_modules'))
}
