import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SearchTexts } from './search-texts.ts'

test('a search finds the indexes of all texts that contain it, after any changes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '4'), maxLength: 5 })
  const step = fc.record({ place: fc.nat(9_000), text, query: text, lastChars: fc.nat(6) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.constantFrom('', ' '), (steps, lead) => {
      const searched = new SearchTexts(lead)
      const texts: string[] = Array.from({ length: 9_001 }, (_, place) => (place % 1_000 === 0 ? 'ab4' : ''))
      for (const [place, each] of texts.entries()) searched.set(place, each)
      for (const { place, text: changed, query, lastChars } of steps) {
        searched.set(place, changed)
        texts[place] = changed
        const places = (holds: (text: string) => boolean): number[] =>
          texts.flatMap((each, at) => (holds(`${lead}${each}`) ? [at] : []))
        expect(searched.equal(query)).toEqual(places((each) => each === `${lead}${query}`))
        if (query === '') continue
        expect(searched.containing(query)).toEqual(places((each) => each.includes(query)))
        expect(searched.containing(query, { lastChars })).toEqual(
          places((each) => each.slice(Math.max(0, each.length - lastChars)).includes(query)),
        )
      }
    }),
    { numRuns: 30 },
  )
})

test('a search stops when it has found more than the maximum', () => {
  const searched = new SearchTexts()
  for (let place = 0; place < 10_000; place += 1) searched.set(place, 'common')
  expect(searched.containing('common', { max: 5_000 })).toHaveLength(5_001)
  expect(searched.containing('common', { max: 10_000 })).toHaveLength(10_000)
})

test('an empty text and a separator find nothing', () => {
  const searched = new SearchTexts()
  searched.set(0, 'one')
  searched.set(1, 'two')
  expect(searched.containing('')).toEqual([])
  expect(searched.containing('one\0two')).toEqual([])
  expect(searched.equal('one\0two')).toEqual([])
  expect(new SearchTexts().containing('one')).toEqual([])
})
