// Limits of one file and of reading it. Without them a few kilobytes could unpack to more memory than the
// machine has.

export interface TableBounds {
  /** Of the file itself. Checked before it is passed on; the response is 413. */
  readonly uploadBytes: number
  /** As a text editor counts them, with the header and empty lines. */
  readonly lines: number
  readonly columns: number
  /** Of all cells of a line together. */
  readonly lineChars: number
  readonly cells: number
  /** Of all cells together; a text that several cells share counts for each. */
  readonly textChars: number
  /** Of all parts of a workbook. */
  readonly unpackedBytes: number
  /** How much larger they may be than the file. */
  readonly unpackedRatio: number
  /** Parts of a workbook. */
  readonly archiveEntries: number
  /** Of the output of the reading process. */
  readonly outputBytes: number
  /** Its JavaScript heap. */
  readonly heapMb: number
  /** Its memory in all, with Node.js itself (about 60 MB). */
  readonly memoryMb: number
  /** Processor time. Files within the other limits take one or two. */
  readonly processorSeconds: number
  /** Elapsed time: so long a busy machine may keep it from a processor. */
  readonly seconds: number
}

/** OWASP ASVS 5.2.1–5.2.3; for lists of 100,000 lines and a header. */
export const tableBounds: TableBounds = {
  uploadBytes: 5 * 1024 * 1024,
  lines: 100_001,
  columns: 100,
  lineChars: 10_000,
  cells: 1_000_000,
  textChars: 20_000_000,
  unpackedBytes: 50 * 1024 * 1024,
  unpackedRatio: 100,
  archiveEntries: 1_000,
  outputBytes: 32 * 1024 * 1024,
  heapMb: 64,
  memoryMb: 140,
  processorSeconds: 5,
  seconds: 60,
}

/** A .xls is not packed, so its size bounds it; but its library takes some thirty times that size. */
export const xlsBounds: TableBounds = { ...tableBounds, heapMb: 160, memoryMb: 250 }
