// Limits of one file and of reading it. Without them a few kilobytes could unpack to more memory than the
// machine has.

export interface TableBounds {
  /** Bytes of the file itself. Checked before the file is passed on; the response to a larger one is 413. */
  readonly uploadBytes: number
  /** Lines as a text editor counts them, with the header and empty lines. */
  readonly lines: number
  readonly columns: number
  /** Characters of all cells of a line together. */
  readonly lineChars: number
  readonly cells: number
  /** Characters of all cells of the file together; a text that several cells share counts for each. */
  readonly textChars: number
  /** Bytes of all parts of a workbook together, unpacked. */
  readonly unpackedBytes: number
  /** How many times larger the unpacked parts may be than the file. */
  readonly unpackedRatio: number
  /** Parts of a workbook. */
  readonly archiveEntries: number
  /** Bytes of the output of the reading process. */
  readonly outputBytes: number
  /** The JavaScript heap of the reading process. */
  readonly heapMb: number
  /** The whole memory of the reading process, with Node.js itself (about 60 MB). */
  readonly memoryMb: number
  /** Processor time. Files within the other limits take one or two. */
  readonly processorSeconds: number
  /** Elapsed time, which is longer because a busy machine may keep the process waiting for a processor. */
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

/** The library that reads workbooks takes some thirty times the size of a .xls, and much processor time for each cell. */
export const workbookBounds: TableBounds = {
  ...tableBounds,
  heapMb: 160,
  memoryMb: 280,
  processorSeconds: 10,
}
