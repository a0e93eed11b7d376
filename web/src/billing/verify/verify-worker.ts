// Checks a statement beside the page, which stays usable meanwhile.
import { checkStatement, type Checked } from './check-statement.ts'

/** What the worker tells the page. */
export type WorkerNews =
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'checked'; readonly checked: Checked }
  | { readonly kind: 'failed'; readonly reason: string }

const tell = (news: WorkerNews) => postMessage(news)

addEventListener('message', ({ data }: MessageEvent<File>) => {
  checkStatement(data, (bytes) => tell({ kind: 'progress', bytes })).then(
    (checked) => tell({ kind: 'checked', checked }),
    // A file that was moved or changed while it was read.
    (error: unknown) =>
      tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  )
})
