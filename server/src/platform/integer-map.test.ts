import { expect, test } from 'vitest'
import { hashOfInteger, IntegerMap } from './integer-map.ts'

test.each([
  ['ids', 1],
  ['telephone numbers', 447_700_000_000],
  ['the longest numbers', 999_999_999_990_000],
])('it keeps what a map keeps: %s', (_, first) => {
  const map = new IntegerMap()
  const plain = new Map<number, number>()
  // As many keys as make each part full to the brim now and then, deleted while their neighbours stay.
  for (let turn = 0; turn < 60_000; turn += 1) {
    const key = first + ((turn * 7_919) % 9_001)
    if (turn % 3 === 2) {
      expect(map.delete(key)).toBe(plain.delete(key))
    } else {
      map.set(key, turn - 30_000)
      plain.set(key, turn - 30_000)
    }
  }
  expect(map.size).toBe(plain.size)
  for (let key = first; key < first + 9_001; key += 1) expect(map.get(key)).toBe(plain.get(key))
})

test('keys of one part that is emptied and filled again are found as long as they are there', () => {
  const inOnePart = (count: number): number[] => {
    const keys: number[] = []
    for (let key = 1; keys.length < count; key += 1) if (hashOfInteger(key) >>> 24 === 7) keys.push(key)
    return keys
  }
  const keys = inOnePart(500)
  const map = new IntegerMap()
  for (const [place, key] of keys.entries()) map.set(key, place)
  for (const [place, key] of keys.entries()) {
    expect(map.delete(key)).toBe(true)
    for (let later = place; later < keys.length; later += 1)
      expect(map.get(keys[later] ?? 0)).toBe(later === place ? undefined : later)
  }
  expect(map.size).toBe(0)
})

test('0 is never there', () => {
  const map = new IntegerMap()
  map.set(1, 1)
  expect(map.get(0)).toBeUndefined()
  expect(map.delete(0)).toBe(false)
  expect(map.size).toBe(1)
})

const first = 100_000
const count = 100_000

test.each([
  ['ids', first],
  ['numbers', 447_700_000_000 + first],
])('%s that follow each other fill the parts fairly, and not all alike', (_, from) => {
  const fill = Array.from({ length: 256 }, () => 0)
  for (let key = from; key < from + count; key += 1) {
    const part = hashOfInteger(key) >>> 24
    fill[part] = (fill[part] ?? 0) + 1
  }
  const mean = count / 256
  expect(Math.max(...fill)).toBeLessThan(mean * 1.5)
  expect(Math.min(...fill)).toBeGreaterThan(mean * 0.5)
  // Chance leaves a deviation of a square root; parts filled in step would all double in the same moment.
  const deviation = Math.sqrt(fill.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 256)
  expect(deviation).toBeGreaterThan(Math.sqrt(mean) * 0.5)
})
