// PDUs for fuzzing: valid ones with random damage. The same random source gives the same bytes.
import { encodeAlone } from '../pdu/encode.ts'
import { type CommandName, commandId } from '../values/command-id.ts'
import { golden, goldenBytes } from './golden.ts'

/** The random source; a seeded generator makes a run repeatable. */
export interface RandomSource {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
}

const headerOctets = 16
const destination = '449098790142'

const message = { sourceAddr: '447700900318', destAddrTon: 1, destAddrNpi: 1, destinationAddr: destination }
const seeds: readonly Buffer[] = [
  ...golden.map(goldenBytes),
  // A submit_multi without destinations cannot be encoded; the golden PDUs have one with destinations.
  ...(Object.keys(commandId) as CommandName[])
    .filter((command) => command !== 'submit_multi')
    .map((command) => encodeAlone(command, 0, 1, {})),
  encodeAlone('submit_sm', 0, 1, { ...message, shortMessage: Buffer.from('hello') }),
  encodeAlone('submit_sm', 0, 1, {
    ...message,
    esmClass: 0x40,
    shortMessage: Buffer.from('0500030702016162', 'hex'),
  }),
  encodeAlone('data_sm', 0, 1, {
    ...message,
    tlvs: [{ tag: 0x0424, value: Buffer.from('payload') }],
  }),
]

const extremes = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/** One PDU whose command_length is right; anything else in it may be wrong. */
export function fuzzPdu(chance: RandomSource): Buffer {
  let bytes: Buffer = Buffer.from(pick(chance, seeds))
  bytes.writeUInt32BE(1 + chance.below(0x7ffffffe), 12)
  for (let spoils = chance.below(4); spoils > 0; spoils -= 1) bytes = pick(chance, mutations)(bytes, chance)
  bytes.writeUInt32BE(bytes.length, 0)
  return bytes
}

/** A PDU with a wrong command_length, after which the stream cannot be framed. */
export function fuzzLostFrame(chance: RandomSource): Buffer {
  const bytes = fuzzPdu(chance)
  bytes.writeUInt32BE(pick(chance, [...extremes, bytes.length + 1, bytes.length - 1, 15, 71_681]), 0)
  return bytes
}

/** The same bytes in pieces of random length: many PDUs in one piece, and one PDU in many pieces. */
export function cutRandomly(bytes: Buffer, chance: RandomSource): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const octets = 1 + chance.below(pick(chance, [1, 16, 300, 8_000]))
    pieces.push(bytes.subarray(at, at + octets))
    at += octets
  }
  return pieces
}

type Mutation = (bytes: Buffer, chance: RandomSource) => Buffer

const mutations: readonly Mutation[] = [
  flipped,
  flipped,
  cut,
  lengthened,
  withParameter,
  withParameter,
  (bytes, chance) => put(bytes, 4, chance.below(0x220) + (chance.below(2) === 0 ? 0 : 0x80000000)),
  (bytes, chance) => put(bytes, 4, pick(chance, extremes)),
  (bytes, chance) => put(bytes, 8, pick(chance, extremes)),
  (bytes, chance) => put(bytes, 12, pick(chance, extremes)),
  (bytes, chance) => Buffer.concat([bytes.subarray(0, headerOctets), random(chance, chance.below(400))]),
]

function flipped(bytes: Buffer, chance: RandomSource): Buffer {
  const octets = bytes.length - headerOctets
  for (let flips = 1 + chance.below(6); octets > 0 && flips > 0; flips -= 1)
    bytes[headerOctets + chance.below(octets)] = pick(chance, [0, 1, 0x7f, 0xff, chance.below(256)])
  return bytes
}

function cut(bytes: Buffer, chance: RandomSource): Buffer {
  return bytes.subarray(0, headerOctets + chance.below(bytes.length - headerOctets + 1))
}

function lengthened(bytes: Buffer, chance: RandomSource): Buffer {
  return Buffer.concat([bytes, random(chance, 1 + chance.below(60))])
}

/** Appends a TLV: known or not, with a right or a wrong length. */
function withParameter(bytes: Buffer, chance: RandomSource): Buffer {
  const value = random(chance, chance.below(pick(chance, [4, 30, 2_000])))
  const head = Buffer.alloc(4)
  head.writeUInt16BE(pick(chance, [0x0424, 0x020c, 0x020e, 0x020f, 0x0005, 0x001e, chance.below(0x10000)]), 0)
  head.writeUInt16BE(chance.below(3) === 0 ? chance.below(0x10000) : value.length, 2)
  const parameter = Buffer.concat([head, value])
  return Buffer.concat([bytes, ...Array<Buffer>(1 + chance.below(3)).fill(parameter)])
}

function put(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeUInt32BE(value, at)
  return bytes
}

function random(chance: RandomSource, octets: number): Buffer {
  return Buffer.from(Array.from({ length: octets }, () => chance.below(256)))
}

function pick<T>(chance: RandomSource, list: readonly T[]): T {
  return list[chance.below(list.length)] as T
}
