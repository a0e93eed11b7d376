import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { openDatabase, rows } from './db.ts'
import { createLogger } from './log.ts'

function capture(format: 'json' | 'text' = 'json') {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger('info', { node: 'n1', format, destination })
  return { log, lines }
}

test('a line is JSON with an UTC time, the level by name and the node', () => {
  const { log, lines } = capture()
  log.info({ bindId: 'b1' }, 'bound')
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toMatchObject({ level: 'info', node: 'n1', bindId: 'b1', msg: 'bound' })
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test('for people each entry is one line: time, level, message and the rest', () => {
  const { log, lines } = capture('text')
  log.info({ bindId: 'b1', password: 'canary' }, 'bound')
  log.warn({ reason: 'gone' }, 'lost')
  expect(lines).toEqual([
    expect.stringMatching(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*bound.*\{"bindId":"b1","password":"\[hidden\]"\}\n$/,
    ),
    expect.stringMatching(/WARN.*lost.*\{"reason":"gone"\}\n$/),
  ])
})

test('a secret that is logged by mistake does not show', () => {
  const { log, lines } = capture()
  log.info(
    { password: 'canary', body: { apiKey: 'canary', deep: { token: 'canary' } }, text: 'canary' },
    'mistake',
  )
  log.warn({ headers: { authorization: 'Bearer canary', cookie: 'sid=canary' } }, 'mistake')
  expect(lines.join('')).not.toContain('canary')
})

test('an error of the database does not quote the row it is about', async () => {
  const { db } = await openTestDatabase()
  const { log, lines } = capture()
  await sql`create table secrets (value text primary key)`.execute(db)
  await sql`insert into secrets values ('canary')`.execute(db)
  for (const query of [sql`insert into secrets values ('canary')`, sql`select ${'canary'}::text::int`])
    await query.execute(db).catch((error: unknown) => log.error({ err: error }, 'failed'))
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ code: '23505', constraint: 'secrets_pkey' })
  expect(lines.join('')).not.toContain('canary')
})

test('an outage of the database is one line, and one with their count when it is over', async () => {
  const away = openDatabase({ address: { host: '/nowhere', database: 'tollgate' } })
  const fault = await rows(away.db, sql`select 1`).catch((error: unknown) => error)
  await away.close()
  vi.useFakeTimers()
  try {
    const { log, lines } = capture()
    for (let count = 0; count < 450; count += 1) {
      log.error({ err: fault }, `task ${count} failed`)
      log.child({ part: 'http' }).warn({ err: new Error('Connection terminated unexpectedly') }, 'no answer')
      vi.advanceTimersByTime(50)
    }
    log.warn(
      { err: Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect', code: 'ECONNREFUSED' }) },
      'a peer',
    )
    vi.advanceTimersByTime(6_000)
    log.warn({ err: new Error('another fault') }, 'a task failed')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'error', msg: expect.stringContaining('the database does not answer') },
      { msg: 'a peer' },
      { level: 'warn', lines: 900, seconds: 22.5, msg: 'the database answers again' },
      { msg: 'a task failed' },
    ])
  } finally {
    vi.useRealTimers()
  }
})
