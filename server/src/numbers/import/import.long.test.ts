import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../../platform/db.ts'
import { sharedTextBomb } from '../../../test/files/table-files.ts'
import { clear, count, db, environment, header, path, post, support } from '../testing/import-environment.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'

test('the templates are what they are named, and can be imported', async () => {
  for (const format of ['csv', 'xlsx'] as const) {
    await clear()
    const answer = await environment.api.call('GET', `/api/premium-numbers/template/${format}`, {
      cookie: environment.api.signIn({ userId: support.id, username: support.username, role: 'support' }),
    })
    expect(answer.headers['content-disposition']).toContain(`premium_numbers_template.${format}`)
    expect(answer.rawPayload.subarray(0, 2).toString()).toBe(format === 'csv' ? 'Nu' : 'PK')
    const imported = await support.upload(path, `premium_numbers_template.${format}`, answer.rawPayload)
    expect([format, imported.status, imported.body.importedCount]).toEqual([format, 200, 1])
  }
  expect((await support.get('/api/premium-numbers/template/pdf')).status).toBe(404)
})

test('an exported file is imported unchanged, with formulas and apostrophes', async () => {
  const texts = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '=HYPERLINK("http://x")',
        "'=1+1",
        "''=1",
        '+1',
        '-2',
        '@x',
        "'tis",
        '"',
        ',',
        '+44',
        "'+",
      ),
    ),
    { minLength: 1, maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(texts, async (descriptions) => {
      await clear()
      const made = new Map<string, unknown>()
      for (const [place, description] of descriptions.entries()) {
        const number = String(449_098_000_000 + place)
        const { status, body } = await support.post('/api/premium-numbers', {
          number,
          description,
          country: description.slice(0, 5),
        })
        // Control characters are refused in the form; what is stored must come back.
        if (status === 201)
          made.set(number, [body.description, body.rate, body.status, body.country, body.countryCode])
      }
      const file = Buffer.from((await support.get('/api/premium-numbers/export')).text)
      if (made.size > 0)
        expect((await support.upload(path, 'again.csv', file)).body).toMatchObject({
          validCount: made.size,
          importedCount: 0,
        })
      await clear()
      if (made.size === 0) return
      const back = await support.upload(path, 'export.csv', file)
      expect(back.body).toMatchObject({ importedCount: made.size })
      const list = await support.get('/api/premium-numbers?limit=500')
      const found = new Map(
        list.body.map((n: Record<string, string>) => [
          n['number'],
          [n['description'], n['rate'], n['status'], n['country'], n['countryCode']],
        ]),
      )
      expect(found).toEqual(made)
    }),
    { numRuns: 8 },
  )
})

test('a file that exceeds a limit is refused by its name, and nothing is added', async () => {
  for (const [name, content, message] of [
    ['bomb.xlsx', sharedTextBomb(), 'more characters than a spreadsheet'],
    ['ends.csv', Buffer.alloc(5_000_000, '\r\n'), '100,000 lines, empty ones counted'],
    [
      'long.csv',
      Buffer.from(`${header}\n449098790142,${'x'.repeat(20_000)},,,,`),
      'Line 2 has more than 10,000',
    ],
  ] as const) {
    const { status, body } = await support.upload(path, name, content)
    expect([status, body.code, body.message]).toEqual([
      422,
      'unprocessable',
      expect.stringContaining(message),
    ])
    expect(body.fields).toEqual({ data: body.message })
  }
  expect((await post('\n'.repeat(1_000_000))).status).toBe(422)
  expect(await count()).toBe(0)
})

test('of two imports at once, one runs and the other is refused for now', async () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => `${449_098_000_000 + n},,,,,`)
  const data = [header, ...lines].join('\n')
  const answers = await Promise.all([post(data), post(data)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429])
  expect(await count()).toBe(5_000)
})

test('an import whose connection is lost adds nothing, and the next one works', async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `${449_098_000_000 + n},,,,,`)
  const importing = post([header, ...lines].join('\n'))
  const ended = sql`select count(pg_terminate_backend(pid))::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'tollgate-aside' and query like 'copy numbers%'`
  await expect.poll(async () => (await row<{ n: number }>(db, ended))?.n).toBe(1)
  expect((await importing).status).toBe(503)
  expect(await count()).toBe(0)
  expect((await post(`${header}\n449098790142,,,,,`)).body.importedCount).toBe(1)
})

test('a fault late in the file rolls back what was added before it', async () => {
  const lines = Array.from({ length: 2_000 }, (_, n) => `${449_098_000_000 + n},,,,,`)
  const { status, body } = await post([header, ...lines, 'nonsense,,,,,'].join('\n'))
  expect([status, Object.keys(body.fields)]).toEqual([422, ['lines.2002.number']])
  expect(await count()).toBe(0)
})

test('100,000 lines are imported at one go, and too many are refused', async () => {
  // Another test would wait for the end of so many numbers: they go with a database of their own.
  const own = await (await openTestNumbers()).person('support')
  const lines = Array.from(
    { length: 100_000 },
    (_, n) => `${449_098_000_000 + n},Line ${n},0.50,active,GB,+44`,
  )
  const data = [header, ...lines].join('\n')
  const { status, body } = await own.post(path, { data })
  expect([status, body.importedCount]).toEqual([200, 100_000])
  const extra = lines.map((_, n) => `${449_098_000_000 + n},,,,,`)
  const tooMany = [header, ...extra, '449198000000,,,,,'].join('\n')
  expect((await own.post(path, { data: tooMany })).status).toBe(422)
})
