// Runs the rows against one SMSC, and says of each how it went.
import { messageRows, checkTlsVersions } from './message-rows.ts'
import type { ConformanceTarget } from './probe.ts'
import type { ConformanceRow } from './row.ts'
import { sessionRows } from './session-rows.ts'

export type { ConformanceTarget } from './probe.ts'

/** All rows of docs/smpp-conformance.md, by their numbers. */
export const conformanceRows: readonly ConformanceRow[] = [...sessionRows, ...messageRows]

export interface RowResult {
  readonly number: number
  readonly title: string
  readonly sent: string
  readonly expected: string
  readonly result: 'passed' | 'failed' | 'not applicable'
  /** What was wrong, or why it is not applicable. */
  readonly detail: string
  readonly tookMs: number
}

export interface ConformanceRun {
  /** Rows that take longer than half a minute, too. Default false. */
  readonly isPatient?: boolean
  /** Only these rows. */
  readonly only?: readonly number[]
  /** Called after each row. */
  readonly onResult?: (result: RowResult) => void
  readonly signal?: AbortSignal
}

/**
 * Runs the rows one after the other, so that at most two connections are open. Never rejects: what a row throws is its
 * result. Some thousand PDUs are sent in all.
 */
export async function runConformance(
  target: ConformanceTarget,
  run: ConformanceRun = {},
): Promise<RowResult[]> {
  const results: RowResult[] = []
  for (const row of conformanceRows) {
    if (run.signal?.aborted === true) break
    if (run.only !== undefined && !run.only.includes(row.number)) continue
    const result = await resultOf(row, target, run.isPatient === true)
    results.push(result)
    run.onResult?.(result)
  }
  return results
}

async function resultOf(
  row: ConformanceRow,
  target: ConformanceTarget,
  isPatient: boolean,
): Promise<RowResult> {
  const { number, title, sent, expected } = row
  const startedAtMs = performance.now()
  const as = (result: RowResult['result'], detail: string): RowResult => ({
    number,
    title,
    sent,
    expected,
    result,
    detail,
    tookMs: Math.round(performance.now() - startedAtMs),
  })
  const reason = reasonAgainst(row, target, isPatient)
  if (reason !== undefined) return as('not applicable', reason)
  try {
    await (number === 67 ? checkTlsVersions(target) : row.check?.(target))
    return as('passed', '')
  } catch (error) {
    return as('failed', error instanceof Error ? error.message : String(error))
  }
}

function reasonAgainst(
  row: ConformanceRow,
  target: ConformanceTarget,
  isPatient: boolean,
): string | undefined {
  const isTls = target.tls !== undefined
  if (row.number === 67 && isTls) return undefined
  if (row.number === 11 && isTls) return 'TLS hides what is sent; check the plain port'
  if (row.isSlow === true && !isPatient) return 'takes longer than half a minute; use --slow'
  return row.check === undefined ? (row.reason ?? 'cannot be checked from outside') : undefined
}
