import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { failNextInsert } from '../../../test/environment/unlucky.ts'
import { row } from '../../platform/db.ts'
import { loadCatalog } from '../index.ts'
import { count, db, environment, header, path, post, support } from '../testing/import-environment.ts'

test('all lines are added, also to the catalog in memory', async () => {
  const catalog = await loadCatalog(db)
  const { status, body } = await post(
    `\uFEFF${header}\r\n+44 909 879 0142,"Quiz, late",1.50,Active,United Kingdom,44\r\n\r\n449098790143,,,,,\r\n`,
  )
  expect([status, body]).toMatchObject([
    200,
    { lineCount: 2, validCount: 2, importedCount: 2, faultCount: 0 },
  ])
  const { body: list } = await support.get('/api/premium-numbers?sort=number&order=asc')
  expect(list).toMatchObject([
    { number: '449098790142', description: 'Quiz, late', rate: '1.50', status: 'active', countryCode: '+44' },
    { number: '449098790143', description: '', rate: '0.00', country: 'United Kingdom', countryCode: '+44' },
  ])
  expect(catalog.find('449098790143')).toBeUndefined()
  await catalog.refresh(db)
  expect(catalog.find('449098790143')?.status).toBe('active')
  const audit = await row<{ after: object }>(
    db,
    sql`select after from audit_entries order by id desc limit 1`,
  )
  expect(audit?.after).toMatchObject({ count: 2 })
})

test('one faulty line prevents the import, and each fault is named', async () => {
  const data = [
    header,
    '449098790142,,1.00,active,,',
    'nonsense,,1.00,active,,',
    '449098790143,,much,sleeping,,',
    '449098790142,,2.00,active,,',
    '449098790144,,1.00',
    '449098790145,,1.00,active,,,extra',
  ].join('\n')
  const dry = await post(data, '?dryRun=true')
  expect(dry.status).toBe(200)
  expect(dry.body).toMatchObject({
    lineCount: 6,
    validCount: 1,
    importedCount: 0,
    isDryRun: true,
    faultCount: 5,
  })
  expect(
    dry.body.faults.map(({ line, problems }: { line: number; problems: { field: string }[] }) => [
      line,
      problems.map(({ field }) => field),
    ]),
  ).toEqual([
    [3, ['number']],
    [4, ['rate', 'status']],
    [5, ['number']],
    [6, ['line']],
    [7, ['line']],
  ])
  const real = await post(data)
  expect([real.status, real.body.code]).toEqual([422, 'unprocessable'])
  expect(Object.keys(real.body.fields)).toContain('lines.4.rate')
  expect(real.body.message).toContain('Nothing was imported')
  expect(await count()).toBe(0)
})

test('a country has one name, whatever it is called in the file', async () => {
  const names = ['UK', 'GB', 'Great Britain', 'united kingdom', 'Freedonia']
  const lines = names.map((name, at) => `44909879015${at},,,,${name},44`)
  expect((await post([header, ...lines].join('\n'))).body.importedCount).toBe(5)
  const { body } = await support.get('/api/premium-numbers/summary')
  expect(body.countries.map(({ country }: { country: string }) => country)).toEqual([
    'Freedonia',
    'United Kingdom',
  ])
})

test('the currency of tariffs may stand beside a rate; another one is refused by its name', async () => {
  const rates = ['₪2.00', '2.00 ILS', 'nis 2', '"2,00 ₪"']
  const lines = rates.map((rate, at) => `44909879016${at},,${rate},,,`)
  expect((await post([header, ...lines].join('\n'))).body.importedCount).toBe(4)
  const { body } = await support.get('/api/premium-numbers')
  expect(body.map(({ rate }: { rate: string }) => rate)).toEqual(['2.00', '2.00', '2.00', '2.00'])
  const dry = await post(
    `${header}\n449098790170,,€2.00,,,\n449098790171,,2 USD,,,\n44909879o172,,,,,`,
    '?dryRun=true',
  )
  expect(
    dry.body.faults.map(({ problems }: { problems: { message: string }[] }) => problems[0]?.message),
  ).toEqual([
    'Rates are in shekels (₪): enter the figure in shekels, such as 2.00',
    'Rates are in shekels (₪): enter the figure in shekels, such as 2.00',
    'The letter O stands where the digit 0 may be meant',
  ])
})

test('a fault names the line where it begins, as a text editor counts', async () => {
  const data = `${header}\r\n\r\nfirst,"two\r\nlines",,,,\r\n,,,,,\r\nsecond,"\n\n",,,,\r\nthird,,,,,`
  const { body } = await post(data, '?dryRun=true')
  expect(body.faults.map(({ line, number }: { line: number; number: string }) => [line, number])).toEqual([
    [3, 'first'],
    [6, 'second'],
    [9, 'third'],
  ])
})

test('a number that exists is skipped when nothing differs, else it is a fault', async () => {
  await support.post('/api/premium-numbers', { number: '449098790142', description: 'Quiz', rate: '1.00' })
  const same = await post(`${header}\n449098790142,Quiz,1,active,,\n449098790143,,,,,`)
  expect(same.body).toMatchObject({ lineCount: 2, validCount: 2, importedCount: 1 })
  const other = await post(`${header}\n449098790142,Show,1,active,,\n449098790144,,,,,`)
  expect([other.status, Object.keys(other.body.fields)]).toEqual([422, ['lines.2.number']])
  expect(await count()).toBe(2)
})

test('columns are found by name, whatever separates and orders them', async () => {
  const { status, body } = await post(
    '\uFEFFcountry code;RATE;number;Description;status;country;\r\n44;1,5;+44 (0)909 879 0142;"a;b";;;\r\n+44;2;0044-909 8790143;c,d;Suspended;;\r\n',
  )
  expect([status, body]).toMatchObject([200, { importedCount: 2, warningCount: 0 }])
  expect(
    (await post('Rate\tNumber\tDescription\tStatus\tCountry\tcountry_code\n1\t449098790144\t\t\t\t')).body,
  ).toMatchObject({
    importedCount: 1,
  })
  expect((await support.get('/api/premium-numbers?sort=number&order=asc')).body).toMatchObject([
    { number: '449098790142', description: 'a;b', rate: '1.50', status: 'active', countryCode: '+44' },
    { number: '449098790143', description: 'c,d', rate: '2.00', status: 'suspended' },
    { number: '449098790144', rate: '1.00' },
  ])
})

test.each([
  [
    'Number,Description,Rate,Status,Contry,Country Code',
    "Column 'Contry' is unknown. Known: Number, Description,",
  ],
  ['Description,Rate,Status,Country', "Column 'Number' is missing. The first line has: Description,"],
  [`${header},rate`, "Column 'rate' is there twice"],
  ['449098790142,,1,,,', 'The first line must name the columns. Known: Number,'],
])('the header %s is refused with its column', async (first, message) => {
  const { status, body } = await post(`${first}\n449098790142,,,,,`)
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
})

test('a country that is not that of the digits is told and imported', async () => {
  const lines = [
    '449098790142,,,,Germany,',
    '449098790143,,,,UK,+44',
    '449098790144,,,,,+49',
    '16135550123,,,,United States,',
    '4490987,,,,France,',
    '449098790145,,,,Voting lines,',
  ]
  const { status, body } = await post([header, ...lines].join('\n'))
  expect([status, body]).toMatchObject([200, { importedCount: 6, warningCount: 3 }])
  expect(body.warnings).toMatchObject([
    {
      line: 2,
      number: '449098790142',
      message: 'The country is Germany (+49), but the number belongs to United Kingdom (+44)',
      words: [
        {
          values: {
            country: { text: 'Germany (+49)', country: 'DE', diallingCode: '+49' },
            origin: { text: 'United Kingdom (+44)', country: 'GB', diallingCode: '+44' },
          },
        },
      ],
    },
    {
      line: 4,
      number: '449098790144',
      message: 'The country code is that of Germany (+49), but the number belongs to United Kingdom (+44)',
    },
    {
      line: 5,
      number: '16135550123',
      message: 'The country is United States (+1), but the number belongs to Canada (+1)',
    },
  ])
})

test('the decimals of a number that was taken for an amount are no digits of it', async () => {
  const { status, body } = await post(
    `${header}\n449098790142.0,,,,,\n+449098790143.00,,,,,\n449.098.790.144,,,,,`,
  )
  expect([status, body]).toMatchObject([200, { importedCount: 3 }])
  const { body: list } = await support.get('/api/premium-numbers?sort=number&order=asc')
  expect(list.map(({ number }: { number: string }) => number)).toEqual([
    '449098790142',
    '449098790143',
    '449098790144',
  ])
})

test('what stands around digits so that a spreadsheet keeps them is no part of them, in headers neither', async () => {
  const { status, body } = await post(
    [
      '\u200bNumber,Description\ufeff,Ra\u00adte,Status,Country,Country Code',
      `'449098790142,'7 days,.5,,,'+44`,
      '="449098790143",="a ""b""",5.,,,="44"',
      '"=""449098790144""",,+1.5,,,',
      '+44\u200b909\u20608790145,,١٫,,,',
      '＋٤٤٩٠٩٨٧٩٠١٤٦,,1.5,,,',
    ].join('\n'),
    '?dryRun=true',
  )
  expect([status, body.preview]).toMatchObject([
    200,
    [
      { number: '449098790142', description: "'7 days", rate: '0.5', countryCode: '+44' },
      { number: '449098790143', description: 'a "b"', rate: '5', countryCode: '+44' },
      { number: '449098790144', rate: '1.5' },
      { number: '449098790146', rate: '1.5' },
    ],
  ])
  expect(body.faults).toMatchObject([{ line: 5, problems: [{ field: 'rate' }] }])
})

test('only Number must be there', async () => {
  expect((await post('Rate,Number\n1.5,449098790142')).body).toMatchObject({ importedCount: 1 })
  expect((await support.get('/api/premium-numbers')).body).toMatchObject([
    { number: '449098790142', rate: '1.50' },
  ])
})

const sheetOf = (names: readonly string[]) =>
  names
    .flatMap((name, at) =>
      Array.from({ length: 20 }, (_, n) => `${449_098_790_100 + 20 * at + n},${name},1.5`),
    )
    .join('\n')

test('a sales sheet is one import: 60 numbers for 3 clients, its columns said by hand', async () => {
  const clients = await Promise.all([1, 2, 3].map(() => environment.person('user')))
  const data = `Phone No.,Customer,Price (ILS)\n${sheetOf(clients.map(({ username }) => username.toUpperCase()))}`
  const refused = await post(data)
  expect([refused.status, refused.body.fields]).toEqual([
    400,
    expect.objectContaining({ columns: expect.any(String) }),
  ])
  const { body: found } = await support.post(`${path}/columns`, { data })
  expect(found).toMatchObject({
    headerLine: 1,
    columns: [
      { name: 'Phone No.', samples: ['449098790100', '449098790101', '449098790102'], column: 'Number' },
      { name: 'Customer', column: 'Client' },
      { name: 'Price (ILS)', samples: ['1.5', '1.5', '1.5'], column: null },
    ],
  })
  const query = '?columns=Number,Client,Rate'
  const dry = await post(data, `${query}&dryRun=true`)
  expect([dry.body.validCount, dry.body.preview[0]]).toMatchObject([
    60,
    { rate: '1.5', client: clients[0]!.username.toUpperCase() },
  ])
  expect((await post(data, query)).body).toMatchObject({ importedCount: 60 })
  for (const { id } of clients) {
    const { body } = await support.get(`/api/numbers?holderId=${id}&limit=100`)
    expect(body).toHaveLength(20)
    expect(body[0].accountNumber).toMatch(/^ACC-/)
  }
  const audit = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from audit_entries where action = 'number.assign'
    and object_id = '20 numbers'`,
  )
  expect(audit?.n).toBe(3)
  // The same sheet again changes nothing; another client is a fault.
  expect((await post(data, query)).body).toMatchObject({ validCount: 60, importedCount: 0 })
  expect((await post(`Number,Client,Rate\n449098790100,${clients[1]!.username},1.5`)).status).toBe(422)
})

test('a header below a title and notes is found, or chosen; what stands above it is not read', async () => {
  const ada = await environment.person('user')
  const data = [
    'Premium numbers for our partners,,',
    'As of,2026-11-28,',
    '',
    'DDI,Customer,Tariff',
    `449098790142,${ada.username},1.5`,
    `449098790143,${ada.username},1.5`,
  ].join('\n')
  expect((await post(data)).body.fields).toMatchObject({ columns: expect.any(String) })
  const { body: found } = await support.post(`${path}/columns`, { data })
  expect(found).toMatchObject({
    headerLine: 4,
    firstLines: [
      { line: 1, text: 'Premium numbers for our partners' },
      { line: 2, text: 'As of, 2026-11-28' },
      { line: 4, text: 'DDI, Customer, Tariff' },
      { line: 5 },
      { line: 6 },
    ],
    columns: [
      { name: 'DDI', samples: ['449098790142', '449098790143'], column: 'Number' },
      { name: 'Customer', column: 'Client' },
      { name: 'Tariff', column: 'Rate' },
    ],
  })
  const { body: chosen } = await support.post(`${path}/columns?headerLine=2`, { data })
  expect([chosen.headerLine, chosen.columns[0].name]).toEqual([2, 'As of'])
  expect((await support.post(`${path}/columns?headerLine=-1`, { data })).status).toBe(400)
  // From the title on, the note and the header would be lines.
  expect((await post(data, '?columns=Number,Client,Rate')).status).toBe(422)
  const { body } = await post(data, '?columns=Number,Client,Rate&headerLine=4')
  expect(body).toMatchObject({ lineCount: 2, importedCount: 2 })
})

test('a file without a header is read by its digits, and as somebody says', async () => {
  const data = 'Vote,449098790142\nChat,449098790143'
  const { body } = await support.post(`${path}/columns`, { data })
  expect(body).toMatchObject({
    headerLine: 0,
    columns: [
      { name: '', column: null },
      { samples: ['449098790142', '449098790143'], column: 'Number' },
    ],
  })
  expect((await post(data, '?columns=Description,Number&headerLine=0')).body).toMatchObject({
    importedCount: 2,
  })
  for (const columns of ['Description', 'Number,Number', 'Number,Owner', ''])
    expect([columns, (await post(data, `?columns=${columns}`)).status]).toEqual([columns, 400])
})

test('a client that cannot get a number is a fault of its line, and nobody gets anything', async () => {
  const [ada, gone] = [await environment.person('user'), await environment.person('user')]
  await sql`update users set status = 'suspended' where id = ${gone.id}`.execute(db)
  const { status, body } = await post(
    [
      'Number,Client,Status',
      `449098790142,${ada.username},`,
      '449098790143,nobody-of-that-name,',
      `449098790144,${gone.username},`,
      `449098790145,${ada.username},suspended`,
      `449098790146,${support.username},`,
    ].join('\n'),
    '?dryRun=true',
  )
  expect(status).toBe(200)
  expect(
    body.faults.map(({ line, problems }: { line: number; problems: { field: string }[] }) => [
      line,
      problems[0]?.field,
    ]),
  ).toEqual([
    [3, 'client'],
    [4, 'client'],
    [5, 'client'],
    [6, 'client'],
  ])
  const many = Array.from({ length: 501 }, (_, n) => `${449_098_000_000 + n},${ada.username}`)
  const tooMany = await post(['Number,Client', ...many].join('\n'))
  expect([tooMany.status, tooMany.body.message]).toEqual([
    422,
    expect.stringContaining('At most 500 lines may name a client'),
  ])
  expect(await count()).toBe(0)
})

test('cells that a spreadsheet would run are exported with an apostrophe', async () => {
  await support.post('/api/premium-numbers', {
    number: '449098790142',
    description: '=HYPERLINK("http://evil")',
  })
  for (const address of ['/api/premium-numbers/export', '/api/numbers/export']) {
    expect((await support.get(address)).text).toContain(`"'=HYPERLINK(""http://evil"")"`)
  }
})

test('an import that is sent again under its key is the import that was made', async () => {
  const { id: userId, username } = support
  const cookie = environment.api.signIn({ userId, username, role: 'support', authenticatedAt: new Date() })
  const send = (key: string, data: string, query = '') =>
    environment.api.call('POST', `${path}${query}`, {
      cookie,
      body: { data: `${header}\n${data}` },
      headers: { 'idempotency-key': key },
    })
  const line = '449098790142,,,,,'
  const reports = [await send('import-1', line), await send('import-1', line)]
  expect(reports.map(({ status, body }) => [status, body.importedCount])).toEqual([
    [200, 1],
    [200, 1],
  ])
  expect(reports[1]?.body).toEqual(reports[0]?.body)
  const other = await send('import-1', '449098790143,,,,,')
  expect([other.status, Object.keys(other.body.fields)]).toEqual([422, ['idempotency-key']])
  const dry = [await send('dry-1', line, '?dryRun=true'), await send('dry-1', line, '?dryRun=true')]
  expect(dry.map(({ body }) => [body.isDryRun, body.importedCount])).toEqual(Array(2).fill([true, 0]))
  expect(await count()).toBe(1)
})

test('a file above 5 MB is refused', async () => {
  const { status, body } = await support.upload(path, 'numbers.csv', Buffer.alloc(5 * 1024 * 1024 + 1, 'a'))
  expect([status, body.code, body.message]).toEqual([
    413,
    'too_large',
    'The file is larger than 5 MB. Send it in parts.',
  ])
})

test('a number that is added while an import runs makes the whole import fail', async () => {
  const blocker = await environment.pool.connect()
  await blocker.query('begin')
  await blocker.query("insert into numbers (number) values ('449098000007')")
  const lines = Array.from({ length: 100 }, (_, n) => `${449_098_000_000 + n},,,,,`)
  const importing = post([header, ...lines].join('\n'))
  // Nobody who reads the log of records waits for it either.
  const waiting = sql`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and application_name = 'tollgate-aside'`
  await expect.poll(async () => (await row<{ n: number }>(db, waiting))?.n).toBe(1)
  await blocker.query('commit')
  blocker.release()
  expect((await importing).body.code).toBe('taken')
  expect(await count()).toBe(1)
})

test('an import whose transaction is unlucky is tried again with its file', async () => {
  await failNextInsert(db, 'numbers')
  const { status, body } = await post(`${header}\n449098790142,,,,,\n449098790143,,,,,`)
  expect([status, body]).toMatchObject([200, { lineCount: 2, importedCount: 2 }])
  expect(await count()).toBe(2)
})
