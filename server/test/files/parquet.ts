// Reads Parquet files by a library that is not the one that writes them.
import { parquetReadObjects } from 'hyparquet'

/** All rows, by the names of the columns. */
export function readParquet(file: Buffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: new Uint8Array(file).buffer })
}
