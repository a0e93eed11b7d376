import { expect, test } from 'vitest'
import { errorLine } from './initdb.ts'

test.each([
  [
    'a full disk',
    `2026-03-04 12:00:00.199 UTC [26848] FATAL:  could not write to file "base/4/1249": No space left on device
child process exited with exit code 1
initdb: removing data directory "/data/postgres/pgdata.init-0000"
`,
    'could not write to file "base/4/1249": No space left on device',
  ],
  [
    'an account nobody knows',
    'initdb: error: could not look up effective user ID 12345: user does not exist\n',
    'could not look up effective user ID 12345: user does not exist',
  ],
  ['a library that is missing', 'loading …\nlibicu.so: cannot open\n', 'libicu.so: cannot open'],
])('the output of initdb about %s gives the reason', (_, text, reason) => {
  expect(errorLine(text)).toBe(reason)
})
