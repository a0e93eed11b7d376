import { statementRoutes } from '@tollgate/contract/statements/statements.ts'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { callFile } from '../api/call.ts'
import type { CheckedStatement } from './check-statement.ts'
import type { WorkerMessage } from './statement-worker.ts'
import { t } from '../language/t.ts'

/** The state of the check of a file. */
export type CheckState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly file: File; readonly bytes: number }
  | { readonly kind: 'checked'; readonly file: File; readonly checked: CheckedStatement }
  | { readonly kind: 'failed'; readonly file: File; readonly reason: string }

/** The file of a bill's records before its content is there. */
const recordsOf = (billId: string) => new File([], `statement-${billId}.jsonl`)

/** Checks one file at a time. A new file stops the running check. The records of `billId` are fetched and checked at once. */
export function useStatementCheck(billId: string) {
  const [state, setState] = useState<CheckState>(() =>
    billId === '' ? { kind: 'none' } : { kind: 'running', file: recordsOf(billId), bytes: 0 },
  )
  const worker = useRef<Worker>(undefined)
  const stop = () => {
    worker.current?.terminate()
    worker.current = undefined
  }
  useEffect(() => stop, [])
  const check = (file: File) => {
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
  }
  const checkFetched = useEffectEvent(check)
  useEffect(() => {
    if (billId === '') return
    let isLeft = false
    callFile(statementRoutes.readStatement, { params: { id: billId } }).then(
      ({ name: fileName, content }) => !isLeft && checkFetched(new File([content], fileName)),
      (error: unknown) =>
        !isLeft && setState({ kind: 'failed', file: recordsOf(billId), reason: messageOf(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [billId])
  return {
    state,
    check,
    stop: () => {
      stop()
      setState({ kind: 'none' })
    },
  }
}
