import { expect, test } from 'vitest'
import { readDatabaseUrl } from './database-url.ts'

test.each([
  ['postgres://u:p@one:5433/db', [['one', 5433]]],
  [
    'postgres://u:p@one,two:5433/db',
    [
      ['one', 5432],
      ['two', 5433],
    ],
  ],
  [
    'postgresql://one:1,two:2,three:3/db?sslmode=verify-full',
    [
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ],
  ],
  [
    'postgres://u@[::1]:5433,10.0.0.2/db',
    [
      ['::1', 5433],
      ['10.0.0.2', 5432],
    ],
  ],
  [
    'postgres://u:a%40b%2Cc@one,two/db',
    [
      ['one', 5432],
      ['two', 5432],
    ],
  ],
  ['postgresql://postgres@localhost/db?host=%2Ftmp%2Fs', [['localhost', 5432]]],
  ['postgres:///db?host=%2Ftmp%2Fs', []],
])('%s names its servers', (text, servers) => {
  expect(readDatabaseUrl(text)?.servers).toEqual(servers.map(([host, port]) => ({ host, port })))
})

test.each([
  ['postgres://u:p@one,two/db?target_session_attrs=read-write', 'postgres://u:p@one/db'],
  [
    'postgres://u:p@one,two/db?target_session_attrs=primary&sslmode=verify-full',
    'postgres://u:p@one/db?sslmode=verify-full',
  ],
  [
    'postgres://u:p@one,two/db?sslmode=verify-full&target_session_attrs=any',
    'postgres://u:p@one/db?sslmode=verify-full',
  ],
  ['postgres://u:p%3f@one:1,two/db', 'postgres://u:p%3f@one:1/db'],
])('for pg, %s is %s', (text, url) => {
  expect(readDatabaseUrl(text)?.url).toBe(url)
})

test.each([
  ['no scheme', 'one,two/db'],
  ['an empty server', 'postgres://u@one,/db'],
  ['a port that is none', 'postgres://u@one:0,two/db'],
  ['a port beyond all', 'postgres://u@one,two:65536/db'],
  ['brackets round a name', 'postgres://u@[one],two/db'],
  ['a wish for a standby', 'postgres://u@one,two/db?target_session_attrs=standby'],
  ['a wish for any server that only reads', 'postgres://u@one,two/db?target_session_attrs=read-only'],
  ['servers in the query', 'postgres://u@/db?host=one,two'],
])('%s is refused: %s', (_, text) => {
  expect(readDatabaseUrl(text)).toBeUndefined()
})
