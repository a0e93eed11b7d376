import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
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
