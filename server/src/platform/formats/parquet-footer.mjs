// The footer of a Parquet file, kept as bytes: as objects, the row groups of ten million rows would need 50 MB.
import { ByteWriter } from 'hyparquet-writer'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'

/** @typedef {import('hyparquet').RowGroup} RowGroup */

const magic = Buffer.from('PAR1')
// Thrift's compact protocol: a list of structs, and how its header tells more than 14 of them.
const structs = 0x0c
const manyMax = 14

/** Takes the row groups one after the other, and gives the bytes that end the file. */
export class ParquetFooter {
  #schema
  #createdBy
  /** How many bytes of any footer come after its list of row groups. */
  #tailLength
  /** @type {Uint8Array[]} */
  #groups = []
  #rowCount = 0n

  /** @param {{ schema: import('hyparquet').SchemaElement[], createdBy: string }} of */
  constructor({ schema, createdBy }) {
    this.#schema = schema
    this.#createdBy = createdBy
    const [none, one] = [
      this.#footerOf([]),
      this.#footerOf([{ columns: [], total_byte_size: 0n, num_rows: 0n }]),
    ]
    // Both footers differ first in the header of the list of row groups, which is one byte in both.
    this.#tailLength = none.length - none.findIndex((byte, index) => byte !== one[index]) - 1
  }

  /** @param {RowGroup} group */
  add(group) {
    const headLength = this.#footerOf([]).length - this.#tailLength
    const footer = this.#footerOf([group])
    this.#groups.push(footer.slice(headLength, footer.length - this.#tailLength))
    this.#rowCount += group.num_rows
  }

  bytes() {
    const none = this.#footerOf([])
    const head = none.subarray(0, none.length - this.#tailLength - 1)
    const tail = none.subarray(none.length - this.#tailLength)
    const content = Buffer.concat([head, listHeader(this.#groups.length), ...this.#groups, tail])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(content.length)
    return Buffer.concat([content, length, magic])
  }

  /**
   * Without its length.
   * @param {RowGroup[]} groups
   */
  #footerOf(groups) {
    const writer = new ByteWriter()
    writeMetadata(writer, {
      version: 2,
      created_by: this.#createdBy,
      schema: this.#schema,
      num_rows: this.#rowCount,
      row_groups: groups,
      metadata_length: 0,
    })
    return writer.getBytes().subarray(0, -4)
  }
}

/**
 * Thrift's header of a list of structs.
 * @param {number} count
 */
function listHeader(count) {
  if (count === 0) return Buffer.from([0])
  if (count <= manyMax) return Buffer.from([(count << 4) | structs])
  const writer = new ByteWriter()
  writer.appendUint8(0xf0 | structs)
  writer.appendVarInt(count)
  return writer.getBytes()
}
