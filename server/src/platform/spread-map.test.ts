import { expect, test } from 'vitest'
import { hashOfText, hashOfId, SpreadMap } from './spread-map.ts'

test('it keeps what a map keeps', () => {
  const map = new SpreadMap<string, number>(hashOfText)
  const plain = new Map<string, number>()
  for (let turn = 0; turn < 20_000; turn += 1) {
    const key = String(4477_0000 + ((turn * 7_919) % 3_001))
    if (turn % 3 === 2) {
      expect(map.delete(key)).toBe(plain.delete(key))
    } else {
      map.set(key, turn)
      plain.set(key, turn)
    }
  }
  expect(map.size).toBe(plain.size)
  for (let key = 4477_0000; key < 4477_3001; key += 1) {
    expect(map.get(String(key))).toBe(plain.get(String(key)))
    expect(map.has(String(key))).toBe(plain.has(String(key)))
  }
})

const first = 100_000
const count = 100_000

test.each([
  ['ids', (place: number) => hashOfId(first + place)],
  ['numbers', (place: number) => hashOfText(`4477${first + place}`)],
])('%s that follow each other fill shards fairly, and not all alike', (_, hashAt) => {
  const fill = Array.from({ length: 256 }, () => 0)
  for (let place = 0; place < count; place += 1) {
    const shard = hashAt(place) >>> 24
    fill[shard] = (fill[shard] ?? 0) + 1
  }
  const mean = count / 256
  expect(Math.max(...fill)).toBeLessThan(mean * 1.5)
  expect(Math.min(...fill)).toBeGreaterThan(mean * 0.5)
  // Chance leaves a deviation of a square root; shards filled in step would all double in the same moment.
  const deviation = Math.sqrt(fill.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 256)
  expect(deviation).toBeGreaterThan(Math.sqrt(mean) * 0.5)
})
