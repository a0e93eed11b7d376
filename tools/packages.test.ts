// Packages are installed beside those that are there: whatever goes wrong, nothing is lost.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fitsWorkspaces, healExchange, installPackages, isInstalled, neededPackages } from './packages.mjs'

/** Everything that the lock says of a package. */
type Locked = Readonly<Record<string, unknown>>

const lock: Readonly<Record<string, Locked>> = {
  '': { workspaces: ['server', 'web'] },
  server: { dependencies: { http: '2.0.0', web: '0.0.0' }, optionalDependencies: { 'pg-mars': '1.0.0' } },
  web: { dependencies: { react: '1.0.0' }, devDependencies: { bundler: '1.0.0' } },
  contract: {},
  smpp: {},
  'node_modules/web': { link: true, resolved: 'web' },
  'node_modules/http': { version: '2.0.0', dependencies: { parser: '^1.0.0' } },
  'node_modules/http/node_modules/parser': { version: '1.2.0' },
  'node_modules/parser': { version: '3.0.0' },
  'node_modules/react': { version: '1.0.0' },
  'node_modules/bundler': { version: '1.0.0', dev: true, dependencies: { parser: '^3.0.0' } },
  'node_modules/pg-mars': { version: '1.0.0', os: ['mars'], optional: true },
}

/** A folder like a clone, with these packages in it. */
function makeClone(present: Readonly<Record<string, Locked>> | undefined): string {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-packages-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (path: string, content: object) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), JSON.stringify(content))
  }
  write('package.json', { workspaces: ['server', 'web'] })
  write('server/package.json', {})
  write('web/package.json', {})
  write('package-lock.json', { packages: lock })
  if (present !== undefined) write('node_modules/.package-lock.json', { packages: present })
  return root
}

const all = () =>
  Object.fromEntries(Object.entries(lock).filter(([path]) => path.startsWith('node_modules/')))
const without = (...paths: string[]) =>
  Object.fromEntries(Object.entries(all()).filter(([path]) => !paths.includes(path)))

/** Makes npm do this, in the folder that it is called in. */
function pretendNpm(script: string): void {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-npm-'))
  const before = process.env['npm_execpath']
  writeFileSync(join(root, 'npm.cjs'), `const { mkdirSync, writeFileSync } = require('node:fs');${script}`)
  process.env['npm_execpath'] = join(root, 'npm.cjs')
  onTestFinished(() => {
    if (before === undefined) delete process.env['npm_execpath']
    else process.env['npm_execpath'] = before
    rmSync(root, { recursive: true })
  })
}

test('what the server needs is found as Node.js finds it, without the tools and the packages of the console', () => {
  expect(neededPackages(makeClone(undefined))).toEqual([
    'node_modules/http',
    'node_modules/http/node_modules/parser',
    'node_modules/pg-mars',
  ])
})

test('a start needs the packages of the server alone; those of other machines count for nobody', () => {
  const root = makeClone(without('node_modules/bundler', 'node_modules/react', 'node_modules/pg-mars'))
  expect([isInstalled(root, neededPackages(root)), isInstalled(root)]).toEqual([true, false])
  expect(isInstalled(makeClone(undefined))).toBe(false)
  const old = makeClone({ ...all(), 'node_modules/http': { version: '1.0.0' } })
  expect(isInstalled(old, neededPackages(old))).toBe(false)
})

test('packages fit that differ further down only', () => {
  const lower = { 'node_modules/http/node_modules/parser': { version: '1.1.0' } }
  expect(fitsWorkspaces(makeClone({ ...all(), ...lower }))).toBe(true)
  expect(fitsWorkspaces(makeClone({ ...all(), 'node_modules/bundler': { version: '0.9.0' } }))).toBe(false)
  expect(fitsWorkspaces(makeClone(undefined))).toBe(false)
})

test.each([
  ['fails', 'process.exit(1)'],
  ['is cut short', "mkdirSync('node_modules/half', { recursive: true })"],
])('an install that %s leaves the packages that are there, and nothing of its own', (_, script) => {
  pretendNpm(script)
  const root = makeClone(all())
  writeFileSync(join(root, 'node_modules/kept'), 'as it was')
  expect(installPackages(root)).toBe(false)
  expect(readFileSync(join(root, 'node_modules/kept'), 'utf8')).toBe('as it was')
  expect(readdirSync(root).toSorted()).toEqual([
    'node_modules',
    'package-lock.json',
    'package.json',
    'server',
    'web',
  ])
})

test('a complete install takes the place of what was there, also below the workspaces', () => {
  pretendNpm(
    "for (const folder of ['node_modules', 'web/node_modules']) mkdirSync(folder); writeFileSync('web/node_modules/new', ''); writeFileSync('node_modules/.package-lock.json', '{\"packages\":{}}')",
  )
  const root = makeClone(all())
  writeFileSync(join(root, 'node_modules/gone'), '')
  expect(installPackages(root)).toBe(true)
  expect(readdirSync(join(root, 'node_modules'))).toEqual(['.package-lock.json'])
  expect(readdirSync(join(root, 'web/node_modules'))).toEqual(['new'])
  expect(readdirSync(root).toSorted()).toEqual([
    'node_modules',
    'package-lock.json',
    'package.json',
    'server',
    'web',
  ])
})

test('packages that a killed exchange took away are put back', () => {
  const root = makeClone(undefined)
  mkdirSync(join(root, '.last-packages/node_modules/kept'), { recursive: true })
  healExchange(root)
  expect(readdirSync(join(root, 'node_modules'))).toEqual(['kept'])
  healExchange(root)
  expect(readdirSync(join(root, 'node_modules'))).toEqual(['kept'])
})
