import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { asCalled, runCommand, UsageError, wholeNumber } from './command.ts'

const printed = { out: '', err: '' }
const argv = process.argv

beforeEach(() => {
  Object.assign(printed, { out: '', err: '' })
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed.out += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (printed.err += String(text)) !== '')
})

afterEach(() => {
  vi.restoreAllMocks()
  process.argv = argv
  process.exitCode = undefined
})

async function command(args: readonly string[], run = async () => 0) {
  process.argv = ['node', 'command', ...args]
  await runCommand({ usage: 'Usage: …', options: { name: { type: 'string' } }, run, failedStatus: 3 })
  return { ...printed, status: process.exitCode }
}

test('help prints the usage and does nothing else', async () => {
  const run = vi.fn(async () => 1)
  expect(await command(['--help'], run)).toEqual({ out: 'Usage: …\n', err: '', status: 0 })
  expect(run).not.toHaveBeenCalled()
})

test('a command line that makes no sense is answered with the usage and status 2', async () => {
  expect(await command(['--nme', 'x'])).toMatchObject({ out: '', status: 2 })
  expect(printed.err).toBe("Unknown option '--nme'.\nUsage: …\n")
  const missing = async () => Promise.reject(new UsageError('Missing: NAME.'))
  printed.err = ''
  expect(await command([], missing)).toEqual({ out: '', err: 'Missing: NAME.\nUsage: …\n', status: 2 })
})

test('the work decides the exit status; its failure is one line', async () => {
  expect(await command(['--name', 'x'], async () => 1)).toEqual({ out: '', err: '', status: 1 })
  const failing = async () => Promise.reject(new Error('There is no such file.'))
  expect(await command([], failing)).toEqual({ out: '', err: 'There is no such file.\n', status: 3 })
})

test('an option for a whole number takes no other one', () => {
  expect(wholeNumber('rounds', '12')).toBe(12)
  for (const value of ['three', '-1', '1.5', ''])
    expect(() => wholeNumber('rounds', value)).toThrow(
      new UsageError(`--rounds takes a whole number, not ${value}.`),
    )
})

test('a release names its commands by their names there', () => {
  const text =
    'Usage: npm run backup -- FOLDER, or SECRET_KEY=new npm run rotate-key -- --finish, or npm run db'
  expect(asCalled(text, false)).toBe(text)
  expect(asCalled(text, true)).toBe(
    'Usage: tollgate backup FOLDER, or SECRET_KEY=new tollgate rotate-key --finish, or tollgate db',
  )
})
