// Names in any script as invoices print them, read back from the file as a viewer reads it.
import { expect, test } from 'vitest'
import { anEntity, ownCompany } from '../../test/money/invoices.ts'
import { linesOf, piecesOf } from '../../test/files/pdf-texts.ts'
import { openPdf } from '../files/formats/pdf.ts'
import type { EntityParty } from './entity-store.ts'
import { drawInvoice, type InvoiceContent } from './invoice-pdf.ts'

const partyOf = (entity: typeof anEntity, part: Partial<EntityParty> = {}): EntityParty => ({
  legal_name: entity.legalName,
  address_lines: entity.addressLines,
  country: entity.country,
  tax_number: entity.taxNumber,
  latin_name: '',
  latin_address_lines: [],
  ...part,
})

async function fileOf(supplier: Partial<EntityParty>, part: Partial<InvoiceContent> = {}): Promise<Buffer> {
  const pdf = await openPdf('Invoice')
  await drawInvoice(pdf, {
    kind: 'invoice',
    number: 'SB-2026-000001',
    parties: { supplier: partyOf(anEntity, supplier), customer: partyOf(ownCompany) },
    facts: [['Date', '09/03/2026']],
    lines: [],
    total: { label: 'Total', amount: '1.50' },
    messageIds: [],
    words: [],
    ...part,
  })
  return pdf.end()
}

const isLeft = ({ x }: { x: number }) => x < 300
const reversed = (text: string) => Array.from(text).toReversed().join('')

test.each([
  ['Latin', 'Łódź Ångström Ñandú GmbH & Co. KG'],
  ['Greek', 'Αλέξανδρος Παπαδόπουλος Α.Ε.'],
  ['Cyrillic', 'ТОВ «Ґедзь і Їжак» № 7'],
  ['Georgian', 'შპს თბილისი'],
  ['Armenian', 'Երևան ՍՊԸ'],
])('%s is printed and read back as it was entered', async (_, name) => {
  const file = await fileOf({ legal_name: name, address_lines: [name], tax_number: name })
  const lines = linesOf(file)
  expect(lines).toContain(`${name} ${ownCompany.legalName}`)
  expect(lines.filter((line) => line.includes(name))).toHaveLength(3)
})

// A viewer shows the glyphs from left to right: of a text from right to left that is its mirror image.
test.each([
  ['Hebrew', 'חברת רחל כהן'],
  ['Arabic', 'شركة سارة المصري'],
])('%s is printed from right to left', async (_, name) => {
  const pieces = piecesOf(await fileOf({ legal_name: name }))
  const words = pieces.filter(({ text, x }) => /[\u0590-\u06FF]/.test(text) && isLeft({ x }))
  const shown = words.toSorted((a, b) => a.x - b.x).map(({ text }) => text.trim())
  expect(shown.map(reversed)).toEqual(name.split(' ').toReversed())
})

test('a name that the fonts cannot print stands in Latin letters, and the invoice says so', async () => {
  const lines = linesOf(
    await fileOf({
      legal_name: '上海国际有限公司',
      address_lines: ['南京东路 1 号'],
      country: 'CN',
      latin_name: 'Shanghai International Ltd',
      latin_address_lines: ['1 Nanjing East Road'],
    }),
  )
  expect(lines).toContain(`Shanghai International Ltd ${ownCompany.legalName}`)
  expect(lines.join('\n')).toContain('1 Nanjing East Road')
  expect(lines.join(' ')).toContain('Name in its own script: see the console')
  expect(lines.join('')).not.toMatch(/[?\u4E00-\u9FFF]/)
})

test('letters of a reason or of words that the fonts cannot print are marked as left out', async () => {
  const lines = linesOf(
    await fileOf({}, { facts: [['Reason', 'No 短信 at all']], words: ['Reverse charge 反向征收'] }),
  )
  expect(lines).toContain('Reason No […] at all')
  expect(lines).toContain('Reverse charge […]')
})

test.each([
  ['Latin', 'Łukasz Ångström-Nuñez '],
  ['Greek', 'Αλέξανδρος Παπαδόπουλος '],
  ['Cyrillic', 'Общество Ґедзь '],
  ['Arabic', 'شركة عبد الرحمن '],
  ['Hebrew', 'חברת רחל כהן '],
  ['one wide word', 'W'],
])('a name of 200 characters in %s stays in its column, and nothing of it is lost', async (_, part) => {
  const name = part.repeat(200).slice(0, 200)
  const line = part.repeat(100).slice(0, 100)
  const pieces = piecesOf(
    await fileOf({
      legal_name: name,
      latin_name: name,
      address_lines: Array.from({ length: 5 }, () => line),
      tax_number: line.slice(0, 60),
    }),
  )
  const ofParties = pieces.filter(({ y }) => y < 750 && y > 60)
  const pdf = await openPdf('Width')
  for (const { text, x } of ofParties.filter(isLeft)) expect(x + pdf.widthOf(text)).toBeLessThanOrEqual(310)
  const letters = (text: string) => Array.from(text.replace(/\s/g, '')).toSorted().join('')
  const printed = ofParties.filter(isLeft).map(({ text }) => text)
  const expected = ['Supplier', name, name, ...Array.from({ length: 5 }, () => line), 'Cyprus']
  const rest = [`Tax number ${line.slice(0, 60)}`, 'Date', '09/03/2026', 'Total']
  expect(letters(printed.join(''))).toBe(letters([...expected, ...rest].join('')))
  // All of it is on the first page, above the foot.
  expect(Math.min(...ofParties.map(({ y }) => y))).toBeGreaterThan(60)
})

test('a credit note of 200 messages names each of them, on pages with its number', async () => {
  const messageIds = Array.from(
    { length: 200 },
    (_, index) => `01KM40EJ000000000000000${String(index).padStart(3, '0')}`,
  )
  const lines = linesOf(await fileOf({}, { kind: 'credit_note', messageIds }))
  const all = lines.join(' ')
  for (const id of messageIds) expect(all).toContain(id)
  expect(all).toContain('Page 2 of')
})
