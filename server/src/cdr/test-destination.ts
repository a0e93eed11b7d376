// Writes a small file on a person's order, so that they see whether the destination is reached.
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CdrTest } from '@tollgate/contract/cdr/cdr.ts'
import type { Caller } from '../http/handlers.ts'
import { countTest } from '../platform/load/rate-uses.ts'
import { transaction } from '../platform/transaction.ts'
import { DeliveryFault, HostKeyFault } from './destinations/destination.ts'
import { openDestination, type DestinationDeps } from './destinations/open.ts'
import { openSecret } from './secret.ts'
import { unknownSchedule, type ScheduleParts } from './service.ts'
import { findSchedule, type ScheduleRow } from './store.ts'
import { writeText } from './write-file.ts'

const testMs = 45_000

export interface TestDeps extends ScheduleParts, DestinationDeps {
  /** A folder of this node, for a moment. */
  readonly testFolder: string
}

/** A failure is an answer. Throws Refusal too_many after 30 tests in a minute. */
export async function testSchedule(parts: TestDeps, id: number, caller: Caller): Promise<CdrTest> {
  const schedule = await findSchedule(parts.db, id)
  if (schedule === undefined) throw unknownSchedule()
  const startedAtMs = performance.now()
  await transaction(parts.db, (tx) => countTest(tx, 'cdr test', 'staff'))
  const fault = await tryOut(parts, schedule)
  await transaction(parts.db, (tx) =>
    parts.audit.record(tx, {
      actor: caller.actor,
      ip: caller.ip,
      action: 'cdr_schedule.test',
      objectType: 'cdr_schedule',
      objectId: String(id),
      after: { name: schedule.name, success: fault === undefined },
    }),
  )
  return {
    success: fault === undefined,
    ...(fault && { error: fault.message }),
    ...(fault instanceof HostKeyFault && { hostKey: fault.hostKey }),
    durationMs: Math.round(performance.now() - startedAtMs),
  }
}

async function tryOut(
  parts: TestDeps,
  { id, destination, encryptedSecret }: ScheduleRow,
): Promise<DeliveryFault | undefined> {
  const name = `tollgate-test-${randomUUID().slice(0, 8)}.txt`
  const file = await writeText(parts.testFolder, name, 'Tollgate writes CDR files here.\n')
  const signal = AbortSignal.timeout(testMs)
  try {
    const session = await openDestination(
      parts,
      destination,
      openSecret(parts.secrets, id, encryptedSecret),
      signal,
    )
    try {
      await session.put({ ...file, name })
      // Not every destination permits it.
      await session.remove(name).catch(() => undefined)
    } finally {
      await session.close()
    }
    return undefined
  } catch (error) {
    if (error instanceof DeliveryFault) return error
    if (signal.aborted) return new DeliveryFault('The destination did not answer in time.', { cause: error })
    throw error
  } finally {
    await rm(join(parts.testFolder, name), { force: true })
  }
}
