import { CFB, utils, write } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { count, header, path, post, support } from '../testing/import-environment.ts'

const workbook = (lines: unknown[][], bookType: 'xlsx' | 'xls' = 'xlsx') =>
  write(utils.book_new(utils.aoa_to_sheet(lines), 'Numbers'), {
    type: 'buffer',
    bookType,
    compression: true,
  }) as Buffer

test('another header, no lines, broken quotes and other files are refused', async () => {
  for (const data of [
    '',
    ' \n ',
    header,
    'Number;Description;Rate;Status;Contry;Country Code\n449098790142;;;;;',
    'Description,Rate,Status,Country\n,,,',
    'Number,Number,Description,Rate,Status,Country,Country Code\n449098790142,,,,,,',
    '449098790142,,,,,',
    `${header}\n"449098790142,,,,,`,
  ]) {
    const { status, body } = await post(data)
    expect([data.slice(0, 80), status, body.code]).toEqual([data.slice(0, 80), 400, 'invalid'])
    expect(body.fields).toBeDefined()
  }
  expect((await support.post(path, {})).status).toBe(400)
  for (const [name, content] of [
    ['numbers.pdf', Buffer.from(header)],
    ['numbers.xlsx', Buffer.from(`${header}\n449098790142,,,,,`)],
    ['numbers.csv', workbook([header.split(',')])],
    ['numbers.csv', Buffer.from([0xff, 0xfe, 0x4e, 0x00])],
    ['numbers.xls', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5_000, 7)])],
    ['numbers.xlsx', workbook([header.split(',')]).subarray(0, 900)],
  ] as const) {
    const { status, body } = await support.upload(path, name, content)
    expect([name, status, body.code]).toEqual([name, 400, 'invalid'])
  }
  expect(await count()).toBe(0)
})

test.each(['xlsx', 'xls'] as const)(
  'a .%s is read from its cells, long numbers and text alike',
  async (kind) => {
    const content = workbook(
      [
        header.split(','),
        [449098790142, 'Größe', 0.5, 'active', 'United Kingdom', '+44'],
        ['+449098790143', '', '', '', '', ''],
      ],
      kind,
    )
    const { status, body } = await support.upload(path, `numbers.${kind}`, content)
    expect([status, body]).toMatchObject([200, { importedCount: 2 }])
    expect((await support.get('/api/premium-numbers?sort=number&order=asc')).body[0]).toMatchObject({
      number: '449098790142',
      description: 'Größe',
      rate: '0.50',
    })
  },
)

test('a cell of a workbook that has no value is a fault of its line and column', async () => {
  const sheet = utils.aoa_to_sheet([
    header.split(','),
    ['449098790142', 'Quiz', 1.5],
    ['449098790143', 'Quiz', 2],
  ])
  Object.assign(sheet, {
    C2: { t: 'n', v: 46_143, z: 'DD. MMM' },
    A3: { t: 'e', v: 0x2a },
    C3: { t: 's', v: 'much' },
  })
  const content = write(utils.book_new(sheet, 'Numbers'), { type: 'buffer', bookType: 'xlsx' }) as Buffer
  const { status, body } = await support.upload(`${path}?dryRun=true`, 'numbers.xlsx', content)
  expect([status, body]).toMatchObject([200, { lineCount: 2, validCount: 0, faultCount: 2 }])
  expect(body.faults).toMatchObject([
    {
      line: 2,
      number: '449098790142',
      problems: [{ field: 'rate', message: 'Cell C2 is a date. Format it as text and enter it again' }],
    },
    {
      line: 3,
      number: '',
      problems: [
        { field: 'number', message: 'Cell A3 has an error, such as #N/A, instead of a value' },
        { field: 'rate' },
      ],
    },
  ])
  expect((await support.upload(path, 'numbers.xlsx', content)).status).toBe(422)
  expect(await count()).toBe(0)
})

test('a workbook with a password is refused with that word, whatever it is named', async () => {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, 'EncryptedPackage', Buffer.alloc(5_000, 4))
  for (const name of ['numbers.xlsx', 'numbers.xls']) {
    const { status, body } = await support.upload(
      path,
      name,
      Buffer.from(CFB.write(file, { type: 'buffer' })),
    )
    expect([status, body.message]).toEqual([400, expect.stringContaining('protected by a password')])
  }
})
