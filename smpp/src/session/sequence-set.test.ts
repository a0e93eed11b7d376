import { expect, test } from 'vitest'
import { SequenceSet } from './sequence-set.ts'

test('has the same members as a Set after any sequence of additions and deletions', () => {
  const ours = new SequenceSet()
  const model = new Set<number>()
  let state = 7
  const random = (below: number) => {
    state = (Math.imul(state, 0x41c64e6d) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  // Numbers close together, far apart and at both ends of 32 bits, so that neighbours wrap around the end of the table.
  const numbers = [0, 1, 63, 64, 127, 128, 0x7fffffff, 0x80000000, 0xffffffff]
  for (let more = 0; more < 60; more += 1) numbers.push(more * 64 + (more % 3), 1_000 + more)
  for (let step = 0; step < 20_000; step += 1) {
    const sequence = numbers[random(numbers.length)] ?? 0
    if (random(2) === 0) {
      expect(ours.add(sequence)).toBe(!model.has(sequence))
      model.add(sequence)
    } else {
      ours.delete(sequence)
      model.delete(sequence)
    }
    expect(ours.size).toBe(model.size)
    if (step % 500 === 0)
      expect(numbers.filter((each) => ours.has(each))).toEqual(numbers.filter((each) => model.has(each)))
  }
})
