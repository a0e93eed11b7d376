import createBidi from 'bidi-js'
import { expect, test } from 'vitest'
import { isolate, openPdf, pageWidth, visualPieces } from './pdf.ts'

test('a file has its pages and its fonts, each with only the letters in use', async () => {
  const pdf = await openPdf('A title')
  for (const name of ['first', 'second']) {
    pdf.addPage()
    pdf.text(50, 50, `The ${name} page`, { font: 'bold' })
    pdf.rule(50, 60, 100)
  }
  pdf.text(50, 80, 'Олена, רחל, سارة', {}, 0)
  const file = await pdf.end()
  const text = file.toString('latin1')
  expect(text.startsWith('%PDF-1.')).toBe(true)
  expect(text).toMatch(/%%EOF\n$/)
  expect(text.match(/\/Type \/Page\n/g)).toHaveLength(2)
  expect(text.match(/\/FontFile2 /g)).toHaveLength(2)
  expect(text).toMatch(/\/BaseFont \/[A-Z]{6}\+DejaVuSansCondensed-Bold/)
  // The two fonts have more than a million bytes.
  expect(file.length).toBeLessThan(40_000)
})

test('a PDF knows which characters its fonts have, and how wide a text is', async () => {
  const pdf = await openPdf('A title')
  for (const text of ['Größe – 5 ×', 'Łódź', 'Ελλάδα', 'Київ', 'Երևան', 'თბილისი', 'שלום', 'مرحبا'])
    expect([text, pdf.canWrite(text)]).toEqual([text, true])
  for (const text of ['ไทย', 'नमस्ते', '東京', '서울'])
    expect([text, pdf.canWrite(text)]).toEqual([text, false])
  expect(pdf.widthOf('00', 10, 'mono')).toBeCloseTo(12.04)
  expect(pdf.widthOf('11', 10)).toBe(pdf.widthOf('00', 10))
  expect(pdf.widthOf('Amount', 10, 'bold')).toBeGreaterThan(pdf.widthOf('Amount', 10))
  expect(pdf.widthOf('W'.repeat(200), 9)).toBeGreaterThan(pageWidth)
  expect(() => pdf.text(0, 0, 'a')).toThrow()
})

// A word from right to left stays in its order, with mirrored brackets: its glyphs are reversed when it is shaped.
test.each([
  ['Ada Byron', ['Ada Byron']],
  ['רחל כהן', ['כהן', ' ', 'רחל']],
  ['Rachel (רחל כהן) Ltd', ['Rachel (', 'כהן', ' ', 'רחל', ') Ltd']],
  ['רחל 42 (כהן)', [')כהן(', ' ', '42', ' ', 'רחל']],
  // Signs without a letter are not reversed later.
  [
    'חברת קול 1800 בע"מ (Kol Ltd.)',
    ['(.', 'Kol Ltd', ')', ' ', 'בע"מ', ' ', '1800', ' ', 'קול', ' ', 'חברת'],
  ],
])('%s is written in pieces from left to right', (text, pieces) => {
  expect(visualPieces(createBidi(), text)).toEqual(pieces)
})

test('a typed text does not change the order of the text around it', () => {
  const bidi = createBidi()
  const wordsOf = (text: string) => visualPieces(bidi, text).join('').replace(/\s+/g, ' ')
  expect(wordsOf(`Reason: ${isolate('רחל 42')} (15/11)`)).toBe('Reason: 42 רחל (15/11)')
  expect(wordsOf(isolate('to \u202Etfarc'))).toBe('to tfarc')
})
