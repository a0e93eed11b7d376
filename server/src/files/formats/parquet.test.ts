import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { parquetOf, type ParquetCell, type ParquetColumn } from './parquet.ts'

const columns: readonly ParquetColumn[] = [
  { name: 'id', type: 'text' },
  { name: 'count', type: 'count' },
  { name: 'at', type: 'time' },
  { name: 'amount', type: 'money' },
]

async function* pagesOf(count: number): AsyncGenerator<ParquetCell[][]> {
  for (let from = 0; from < count; from += 200)
    yield Array.from({ length: Math.min(200, count - from) }, (_, index) => {
      const nth = from + index
      return [`שלום ${nth}`, nth % 2 === 0 ? null : nth, 1_700_000_000_000 + nth, BigInt(nth) * 1_000_001n]
    })
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<{ file: ArrayBuffer; sizes: number[] }> {
  const found: Buffer[] = []
  for await (const chunk of chunks) found.push(chunk)
  const file = new Uint8Array(Buffer.concat(found)).buffer
  return { file, sizes: found.map(({ length }) => length) }
}

test('a file has all rows in row groups, each sent as soon as it is full', async () => {
  const { file, sizes } = await collect(parquetOf(columns, pagesOf(10_300)))
  expect(sizes).toHaveLength(3)
  expect(parquetMetadata(file).row_groups.map(({ num_rows: rows }) => rows)).toEqual([5_000n, 5_000n, 300n])
  const rows = await parquetReadObjects({ file })
  expect(rows).toHaveLength(10_300)
  expect(rows[0]).toEqual({ id: 'שלום 0', count: null, at: new Date(1_700_000_000_000), amount: 0 })
  expect(rows[10_299]).toEqual({
    id: 'שלום 10299',
    count: 10_299,
    at: new Date(1_700_000_010_299),
    amount: 10_299.010299,
  })
})

test('long texts end a row group sooner, so that they do not fill the memory', async () => {
  const text = 'a'.repeat(60_000)
  async function* pages(): AsyncGenerator<ParquetCell[][]> {
    for (let page = 0; page < 3; page += 1) yield Array.from({ length: 100 }, () => [text, 1, 1, 1n])
  }
  const { file } = await collect(parquetOf(columns, pages()))
  expect(parquetMetadata(file).row_groups.map(({ num_rows: rows }) => rows)).toEqual([100n, 100n, 100n])
  expect((await parquetReadObjects({ file })).every(({ id }) => id === text)).toBe(true)
})

test('a file without rows can be read', async () => {
  const { file } = await collect(parquetOf(columns, pagesOf(0)))
  expect(await parquetReadObjects({ file })).toEqual([])
})

test('a source that fails before the first row group gives no byte, and its error', async () => {
  async function* failing(): AsyncGenerator<ParquetCell[][]> {
    yield* pagesOf(400)
    throw new Error('The database is away')
  }
  const chunks = parquetOf(columns, failing())
  await expect(chunks.next()).rejects.toThrow('The database is away')
})

test('a fault of the thread while the next rows are read ends the file, and not the program', async () => {
  async function* rowsAfterFault(): AsyncGenerator<ParquetCell[][]> {
    yield Array.from({ length: 5_000 }, () => ['a', 1, 'noon', 1n])
    await new Promise((settle) => setTimeout(settle, 300))
    yield [['a', 1, 1, 1n]]
  }
  await expect(collect(parquetOf(columns, rowsAfterFault()))).rejects.toThrow(/./)
})

test('a value that does not fit its column ends the file with an error', async () => {
  async function* wrong(): AsyncGenerator<ParquetCell[][]> {
    yield [['a', 1, 'noon', 1n]]
  }
  await expect(collect(parquetOf(columns, wrong()))).rejects.toThrow(/./)
})
