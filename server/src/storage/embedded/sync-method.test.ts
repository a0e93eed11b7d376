import { expect, test } from 'vitest'
import { syncSettings, tellsErrors } from './sync-method.ts'

test.each([
  ['5.7.19', false],
  ['4.19.0-26-amd64', false],
  ['5.8.0', true],
  ['5.15.0-91-generic', true],
  ['6.1.0', true],
  ['10.0', true],
  ['unknown', false],
])('the kernel %s tells the errors of syncfs: %s', (kernel, isReported) => {
  expect(tellsErrors(kernel)).toBe(isReported)
})

test('a file system that may not write at the word is synced file by file', async () => {
  const ofTheKernel = process.platform === 'linux' ? '/proc' : '/dev'
  expect(await syncSettings(ofTheKernel, 'linux')).toEqual({})
})

test('on macOS a commit goes through the memory of the disk', async () => {
  expect(await syncSettings('/', 'darwin')).toEqual({ wal_sync_method: 'fsync_writethrough' })
})
