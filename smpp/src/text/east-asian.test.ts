import { expect, test } from 'vitest'
import { decodeBody } from './decode.ts'

const read = (dataCoding: number, hex: string) =>
  decodeBody({ dataCoding, esmClass: 0, octets: Buffer.from(hex.replaceAll(' ', ''), 'hex') })

// Made with Python's codecs shift_jis, euc_jp, iso2022_jp_2 and euc_kr.
test.each([
  [5, 'two-octet codes', '467c 4b5c 386c', '日本語'],
  [5, 'ISO-2022-JP', '1b2442 467c 4b5c 1b2842 4f4b', '日本OK'],
  [5, 'Shift-JIS', '93fa 967b 8cea 41 b1', '日本語Aｱ'],
  [5, 'plain ASCII with a space', '4f 4b 20 31', 'OK 1'],
  [9, 'Shift-JIS', '82b1 82f1 82c9 82bf 82cd', 'こんにちは'],
  [10, 'ISO-2022-JP', '1b2442 2437 1b2842 21', 'し!'],
  [10, 'ISO-2022-JP with half-width kana', '1b2849 3132 1b284a 41', 'ｱｲA'],
  [10, 'ISO-2022-JP-2 with X 0212', '1b242844 3021 1b2842', '丂'],
  [13, 'two-octet codes', '3021', '丂'],
  [13, 'EUC-JP', '8fb0a1 c6fc', '丂日'],
  [14, 'EUC-KR', 'c7d1 b1db 20 4f4b', '한글 OK'],
])('data_coding %i in %s is read', (dataCoding, _, hex, text) => {
  expect(read(dataCoding, hex)).toMatchObject({ text, flags: [] })
})

test.each([
  [5, '93'],
  [5, '1b2442 467c 4b'],
  [13, '8fb0'],
  [14, 'c7'],
])('data_coding %i with a character cut in half shows U+FFFD and is flagged', (dataCoding, hex) => {
  const { text, flags } = read(dataCoding, hex)
  expect(text).toContain('\ufffd')
  expect(flags).toEqual(['unassigned_code'])
})

test('every two-octet code of JIS X 0208 reads as in Shift-JIS', () => {
  let checked = 0
  for (let row = 0x21; row <= 0x7e; row++)
    for (let cell = 0x21; cell <= 0x7e; cell++) {
      const shifted = ((row - 0x21) >> 1) + (row < 0x5f ? 0x81 : 0xc1)
      const low = row % 2 === 1 ? cell + (cell < 0x60 ? 0x1f : 0x20) : cell + 0x7e
      const text = new TextDecoder('shift_jis').decode(Uint8Array.of(shifted, low))
      const own = decodeBody({ dataCoding: 5, esmClass: 0, octets: Uint8Array.of(row, cell) }).text
      // Rows 9–15 and 85–94 are vendors' own.
      if (text.length !== 1 || text === '\ufffd' || (row >= 0x29 && row <= 0x2f) || row >= 0x75) continue
      expect([row, cell, own]).toEqual([row, cell, text])
      checked++
    }
  expect(checked).toBe(6_879)
})
