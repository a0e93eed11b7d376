import { expect, test } from 'vitest'
import { zoneOptions } from './zone-options.ts'

test('time zones are listed by their new names, and the present one whatever it is called', () => {
  const names = zoneOptions('Asia/Calcutta').map(({ value }) => value)
  for (const name of ['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'Asia/Calcutta']) expect(names).toContain(name)
  expect(names).not.toContain('Europe/Kiev')
  expect(new Set(names).size).toBe(names.length)
})
