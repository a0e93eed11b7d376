import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUcs2, encodeUcs2 } from './ucs2.ts'

test('text of the whole Unicode round-trips', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(!text.startsWith('\ufeff') && !text.startsWith('\ufffe'))
      expect(decodeUcs2(encodeUcs2(text))).toEqual({ text, flags: [] })
    }),
  )
})
