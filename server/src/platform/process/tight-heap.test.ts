import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test.each(['--heap-growing-percent', '--allocation-site-pretenuring'])(
  'this version of Node knows %s',
  (flag) => {
    expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`  ${flag} (`)
  },
)
