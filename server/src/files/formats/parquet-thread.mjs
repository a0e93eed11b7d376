// Collects rows to row groups and encodes them. Each message is answered with the bytes written since the last one, or null.
import { parentPort, workerData } from 'node:worker_threads'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

// Larger groups make a smaller file and are read faster; smaller ones leave fewer rows in memory.
const groupRows = 5_000
// A payload may have 64 kB of text: rows of them would fill the thread's memory before they are enough for a group.
const groupCharsMax = 4_000_000

/** @type {Record<string, import('hyparquet').SchemaElement>} */
const elements = {
  text: { name: '', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { name: '', type: 'INT32' },
  time: { name: '', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  money: { name: '', type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 },
}

/** @type {{ columns: { name: string, type: 'text' | 'count' | 'time' | 'money' }[] }} */
const { columns } = workerData
// This writer writes into memory, so its calls need no await.
const bytes = new ByteWriter(1 << 20)
const schema = [
  { name: 'records', num_children: columns.length },
  ...columns.map(({ name, type }) => ({
    ...elements[type],
    name,
    repetition_type: /** @type {const} */ ('OPTIONAL'),
  })),
]
const writer = new ParquetWriter({ writer: bytes, createdBy: 'tollgate', schema })

/** @type {unknown[][]} */
let waiting = columns.map(() => [])
let waitingChars = 0

function encode() {
  void writer.write({
    columnData: columns.map(({ name, type }, index) => ({
      name,
      data: waiting[index] ?? [],
      // Only times and ids help a reader to skip row groups.
      statistics: type === 'time' || name === 'messageId',
      offsetIndex: false,
    })),
    rowGroupSize: groupRows,
  })
  waiting = columns.map(() => [])
  waitingChars = 0
}

/** @param {unknown[][]} rows */
function add(rows) {
  for (const row of rows)
    for (const [index, cell] of row.entries()) {
      waiting[index]?.push(cell)
      if (typeof cell === 'string') waitingChars += cell.length
    }
}

function takeBytes() {
  const taken = bytes.getBytes().slice()
  bytes.index = 0
  return taken
}

/**
 * The bytes that these rows complete; null for the end. The magic of the file's start waits for its first row group, so that
 * a source that fails gives no byte.
 * @param {unknown[][] | null} rows
 */
function take(rows) {
  add(rows ?? [])
  const count = waiting[0]?.length ?? 0
  const isEnd = rows === null
  if (!isEnd && count < groupRows && waitingChars < groupCharsMax) return null
  if (count > 0) encode()
  if (isEnd) void writer.finish()
  return takeBytes()
}

parentPort?.on('message', (/** @type {unknown[][] | null} */ rows) => {
  const written = take(rows)
  parentPort?.postMessage(written, written === null ? [] : [written.buffer])
})
