import { expect, test } from 'vitest'
import { allowedLicences, licenceText, shippedPackages } from './licences.mjs'

test('every package that is shipped is under a licence that allows it', () => {
  const shipped = shippedPackages()
  expect(shipped.length).toBeGreaterThan(100)
  expect(shipped.filter(({ licence }) => !allowedLicences.has(licence))).toEqual([])
})

test('the text that the console serves names each package and holds its notice', () => {
  const text = licenceText()
  for (const { name, version, licence, text: notice = '' } of shippedPackages()) {
    expect(text).toContain(`${name} ${version}: ${licence}`)
    expect(text.includes(notice), name).toBe(true)
  }
  expect(text).toContain('PostgreSQL License')
  // The font that statements embed.
  expect(text).toContain('Bitstream Vera Fonts Copyright')
})
