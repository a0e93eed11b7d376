import { useEffect, useRef, useState } from 'react'
import type { CheckedStatement } from './check-statement.ts'
import type { WorkerMessage } from './statement-worker.ts'
import { t } from '../language/t.ts'

/** The state of the check of a file. */
export type CheckState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly file: File; readonly bytes: number }
  | { readonly kind: 'checked'; readonly file: File; readonly checked: CheckedStatement }
  | { readonly kind: 'failed'; readonly file: File; readonly reason: string }

/** Checks one file at a time. A new file stops the running check. */
export function useStatementCheck() {
  const [state, setState] = useState<CheckState>({ kind: 'none' })
  const worker = useRef<Worker>(undefined)
  const stop = () => {
    worker.current?.terminate()
    worker.current = undefined
  }
  useEffect(() => stop, [])
  return {
    state,
    check: (file: File) => {
      stop()
      setState({ kind: 'running', file, bytes: 0 })
      const started = new Worker(new URL('./statement-worker.ts', import.meta.url), { type: 'module' })
      worker.current = started
      started.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
        if (data.kind === 'progress') return setState({ kind: 'running', file, bytes: data.bytes })
        stop()
        setState(
          data.kind === 'checked'
            ? { kind: 'checked', file, checked: data.checked }
            : { kind: 'failed', file, reason: data.reason },
        )
      })
      started.addEventListener('error', () => {
        stop()
        setState({ kind: 'failed', file, reason: t('The checking program could not be started.') })
      })
      started.postMessage(file)
    },
    stop: () => {
      stop()
      setState({ kind: 'none' })
    },
  }
}
