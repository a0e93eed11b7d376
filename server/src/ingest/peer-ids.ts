// What the peers of a batch call their messages: the form of the id that each was answered with, and the peer's own
// user_message_reference. It stays with the records when their texts are deleted (decision 80).
import type { MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { IdStyle, IngestMessage, SentFields } from './message.ts'
import { WireWriter } from './wire.ts'

export interface PeerIds {
  /** Undefined: the peer was answered without an id. */
  readonly idStyle: IdStyle | undefined
  /** Its user_message_reference. SMPP 3.4 §5.3.2.17. */
  readonly reference: number | undefined
}

const layoutVersion = 1
// What the kind of a record tells: a form, or the place after the forms for no id at all.
const idForms: readonly MessageIdForm[] = ['text', 'decimal', 'hex']
const noId = 3
const formBits = 3
const shortId = 4
const hasReference = 8
// The usual kind, an id as text and no reference, is 0.
const headSize = 3
const runSize = 3

/**
 * Packs the ids of a batch. Layout: version; the count of runs in two octets; each run of records of one kind as its count
 * in two octets and the kind; then the references, two octets each. Records after the last run are of the usual kind, and
 * nothing follows the version when all are.
 */
export class PeerIdsBuffer {
  readonly #runs = new WireWriter(256)
  readonly #references = new WireWriter(256)
  #kind = 0
  #count = 0

  clear(): void {
    this.#runs.length = 0
    this.#references.length = 0
    this.#kind = 0
    this.#count = 0
  }

  add({ idStyle, source, sent }: IngestMessage): void {
    let kind = idStyle === undefined ? (source === 'smpp' ? 0 : noId) : kindOf(idStyle)
    const reference = referenceOf(sent)
    if (reference !== undefined) {
      kind |= hasReference
      this.#references.reserve(2)
      this.#references.int16(reference)
    }
    if (kind !== this.#kind) {
      this.#endRun()
      this.#kind = kind
    }
    this.#count += 1
  }

  /** Writes the size in four octets and the packed ids. */
  writeTo(out: WireWriter): void {
    if (this.#kind !== 0) this.#endRun()
    const [runs, references] = [this.#runs, this.#references]
    const size = runs.length === 0 ? 1 : headSize + runs.length + references.length
    out.reserve(4 + size)
    out.int32(size)
    out.byte(layoutVersion)
    if (runs.length === 0) return
    out.int16(runs.length / runSize)
    out.raw(runs.bytes.subarray(0, runs.length))
    out.raw(references.bytes.subarray(0, references.length))
  }

  #endRun(): void {
    if (this.#count === 0) return
    this.#runs.reserve(runSize)
    this.#runs.int16(this.#count)
    this.#runs.byte(this.#kind)
    this.#count = 0
  }
}

const kindOf = ({ form, isShort }: IdStyle): number => idForms.indexOf(form) | (isShort ? shortId : 0)

/** The peer's own name of its message; most messages have no parameters at all. */
function referenceOf(sent: SentFields | undefined): number | undefined {
  return sent === undefined || sent.tlvs.length === 0
    ? undefined
    : findTlv(sent.tlvs, tags.userMessageReference)
}

/** The ids of the records at these indexes of a batch; none for an unknown layout. */
export function readPeerIdsAt(packed: Buffer, indexes: ReadonlySet<number>): Map<number, PeerIds> {
  const found = new Map<number, PeerIds>()
  if (packed[0] !== layoutVersion) return found
  const runCount = packed.length < headSize ? 0 : packed.readUInt16BE(1)
  let run = 0
  let left = 0
  let kind = 0
  let referenceAt = headSize + runCount * runSize
  for (let index = 0; found.size < indexes.size; index += 1) {
    if (left === 0) {
      const start = headSize + run * runSize
      left = run < runCount ? packed.readUInt16BE(start) : Infinity
      kind = run < runCount ? packed.readUInt8(start + 2) : 0
      run += 1
    }
    left -= 1
    let reference: number | undefined
    if ((kind & hasReference) !== 0) {
      reference = packed.readUInt16BE(referenceAt)
      referenceAt += 2
    }
    if (indexes.has(index)) found.set(index, { idStyle: idStyleOf(kind), reference })
  }
  return found
}

function idStyleOf(kind: number): IdStyle | undefined {
  const form = idForms[kind & formBits]
  return form && { form, isShort: (kind & shortId) !== 0 }
}
