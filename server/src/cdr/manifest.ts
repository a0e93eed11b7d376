import { formatMicro } from '@tollgate/contract/money.ts'
import type { DueFile, WrittenFacts } from './store.ts'

/** The name of the file that says what is in a file. It is delivered after it, so who waits for it never reads a half. */
export const manifestNameOf = (fileName: string) => `${fileName}.json`

/** What programs compare with what they got. Fields may be added; `version` counts other changes. */
export function manifestOf(file: DueFile, { summary, sizeBytes, sha256 }: WrittenFacts): string {
  const manifest = {
    version: 1,
    file: file.name,
    schedule: file.schedule,
    sequence: file.sequence,
    format: file.format,
    columns: file.columns.split(','),
    // An archive has what was received in its time, whenever it was stored.
    [file.fromXid === null ? 'createdFrom' : 'storedFrom']: file.periodFrom.toISOString(),
    [file.fromXid === null ? 'createdTo' : 'storedTo']: file.periodTo.toISOString(),
    records: summary.count,
    amountUsd: formatMicro(summary.amountMicro),
    firstMessageId: summary.first ?? null,
    lastMessageId: summary.last ?? null,
    bytes: sizeBytes,
    sha256,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
