// Checks a statement in a worker thread, so that the page stays usable.
import { checkStatement, type CheckedStatement } from './check-statement.ts'

/** The messages from the worker to the page. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'checked'; readonly checked: CheckedStatement }
  | { readonly kind: 'failed'; readonly reason: string }

const send = (message: WorkerMessage) => postMessage(message)

addEventListener('message', ({ data }: MessageEvent<File>) => {
  checkStatement(data, (bytes) => send({ kind: 'progress', bytes })).then(
    (checked) => send({ kind: 'checked', checked }),
    // The file was moved or changed while it was read.
    (error: unknown) =>
      send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  )
})
