import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('this version of Node knows the flag', () => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(
    '--heap-growing-percent',
  )
})
