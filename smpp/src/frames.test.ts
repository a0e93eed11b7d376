import { expect, test } from 'vitest'
import { FrameReader } from './frames.ts'
import { golden, goldenBytes } from './testing/golden.ts'
import { rawHeader } from './testing/hostile.ts'

function collector(max = 71_680): { reader: FrameReader; frames: string[] } {
  const frames: string[] = []
  const reader = new FrameReader(max, (bytes, start, end) => frames.push(bytes.toString('hex', start, end)))
  return { reader, frames }
}

const all = golden.map(goldenBytes)
const stream = Buffer.concat(all)
const expected = all.map((bytes) => bytes.toString('hex'))

test('a stream cut at every offset gives the same PDUs', () => {
  for (let cut = 0; cut <= stream.length; cut++) {
    const { reader, frames } = collector()
    reader.push(stream.subarray(0, cut))
    reader.push(stream.subarray(cut))
    expect(frames).toEqual(expected)
  }
})

test('a stream in pieces of every size gives the same PDUs', () => {
  for (let size = 1; size < 50; size++) {
    const { reader, frames } = collector()
    let state = 'clean'
    for (let at = 0; at < stream.length; at += size) state = reader.push(stream.subarray(at, at + size)).kind
    expect(frames).toEqual(expected)
    expect(state).toBe('clean')
  }
})

test('the state says whether a PDU has begun', () => {
  const { reader } = collector()
  expect(reader.push(stream.subarray(0, 3)).kind).toBe('partial')
  expect(reader.push(stream.subarray(3, 20)).kind).toBe('partial')
  expect(reader.push(stream.subarray(20)).kind).toBe('clean')
})

test('a length below 16 loses the stream wherever it is cut', () => {
  for (let cut = 1; cut < 16; cut++) {
    const { reader } = collector()
    const bytes = rawHeader(15, 4, 0, 9)
    const first = reader.push(bytes.subarray(0, cut))
    const last = first.kind === 'lost' ? first : reader.push(bytes.subarray(cut))
    expect(last).toEqual({ kind: 'lost', sequence: 0, announcedOctets: 15 })
  }
})

test('a length over the limit loses the stream with its sequence, without waiting for the body', () => {
  for (let cut = 0; cut < 16; cut++) {
    const { reader } = collector(512)
    const bytes = rawHeader(513, 4, 0, 77)
    const first = reader.push(bytes.subarray(0, cut))
    expect(first.kind).toBe(cut === 0 ? 'clean' : cut < 4 ? 'partial' : 'oversized')
    expect(reader.push(bytes.subarray(cut))).toEqual({ kind: 'lost', sequence: 77, announcedOctets: 513 })
  }
})

test('the limit itself is accepted, and a raised limit counts at once', () => {
  const { reader, frames } = collector(512)
  const bytes = Buffer.concat([rawHeader(512, 4, 0, 1), Buffer.alloc(496)])
  reader.push(bytes)
  reader.octetsMax = 600
  reader.push(Buffer.concat([rawHeader(600, 4, 0, 1), Buffer.alloc(584)]))
  expect(frames.map((frame) => frame.length / 2)).toEqual([512, 600])
})

test('nothing is passed on after stop, also not from the current chunk', () => {
  const seen: number[] = []
  const reader: FrameReader = new FrameReader(512, (_bytes, start) => {
    seen.push(start)
    reader.stop()
  })
  reader.push(stream)
  expect(seen).toEqual([0])
})
