import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { ParquetFooter } from './parquet-footer.mjs'

const schema = [
  { name: 'records', num_children: 2 },
  { name: 'at', type: 'INT64' as const, repetition_type: 'OPTIONAL' as const },
  { name: 'text', type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const },
]

test.each([0, 1, 14, 15, 300])(
  'the footer of %i row groups is the same as one that was kept whole',
  (count) => {
    const bytes = new ByteWriter()
    const writer = new ParquetWriter({ writer: bytes, createdBy: 'tollgate', schema })
    const footer = new ParquetFooter({ schema, createdBy: 'tollgate' })
    for (let nth = 0; nth < count; nth += 1) {
      const columnData = [
        { name: 'at', data: [BigInt(nth) * 1_000_000n, null], statistics: true },
        { name: 'text', data: [`${nth}`, 'שלום'], statistics: nth % 2 === 0 },
      ]
      void writer.write({ columnData, rowGroupSize: 2 })
      footer.add(writer.row_groups.at(-1)!)
    }
    bytes.index = 0
    void writer.finish()
    expect(Buffer.from(footer.bytes()).equals(bytes.getBytes())).toBe(true)
  },
)
