// What people do with connections: add, edit, order, test, send. Each write is audited in its own transaction.
import type { z } from 'zod'
import type {
  ConnectionSend,
  createConnectionSchema,
  editConnectionSchema,
} from '@tollgate/contract/connections/connections.ts'
import { changedConnection, enterSecretAgain, type DestinationPart } from '@tollgate/contract/destinations.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { checkVersion, nameTaken, refuseWhereBroken, rowId, withoutUndefined } from '../platform/refusals.ts'
import { transaction } from '../platform/transaction.ts'
import { passwordContext, type ConnectionsDeps } from './deps.ts'
import { auditedFields, checkTrust } from './own-ca.ts'
import { insertSend, setSendText, textContext } from './send-store.ts'
import {
  connectionFields,
  deleteConnection,
  findConnection,
  insertConnection,
  lockConnection,
  setPassword,
  restartEnabled,
  setWanted,
  updateConnection,
  type ConnectionRow,
} from './store.ts'
import { recentSends, viewConnection } from './views.ts'

type CreateConnectionInput = z.output<typeof createConnectionSchema>
type EditConnectionInput = z.output<typeof editConnectionSchema>

const unknownConnection = () =>
  new Refusal('not_found', 'There is no such connection. It may have been deleted; reload the list.')

/** The id as a database key; throws Refusal not_found. */
export function connectionId(text: string): number {
  return rowId(text, unknownConnection)
}

/** Reads a connection; throws Refusal not_found. */
export async function mustFind(db: Db, id: number): Promise<ConnectionRow> {
  const found = await findConnection(db, id)
  if (found === undefined) throw unknownConnection()
  return found
}

export async function addConnection(
  deps: ConnectionsDeps,
  input: CreateConnectionInput,
  caller: Caller,
): Promise<number> {
  const { db, secrets } = deps
  checkTrust(input)
  return refuseTakenName(input.name, () =>
    transaction(db, async (tx) => {
      const id = await insertConnection(tx, input)
      await setPassword(tx, id, secrets.encrypt(input.password, passwordContext(id)))
      await record(deps, tx, caller, 'connection.create', id, {
        after: auditedFields(connectionFields(input)),
      })
      return id
    }),
  )
}

export async function editConnection(
  deps: ConnectionsDeps,
  id: number,
  { password, version, ...edit }: EditConnectionInput,
  caller: Caller,
): Promise<void> {
  const { db, secrets } = deps
  await refuseTakenName(edit.name ?? '', () =>
    transaction(db, async (tx) => {
      const before = await mustLock(tx, id)
      checkVersion(version, before.version)
      const after = { ...before, ...withoutUndefined(edit) }
      checkTrust(after)
      const hasNewPassword = password !== undefined && password !== ''
      const changed = changedConnection(before, after)
      if (changed !== undefined && !hasNewPassword) refuseMovedPassword(deps, before, changed)
      await updateConnection(tx, id, after)
      if (hasNewPassword) await setPassword(tx, id, secrets.encrypt(password, passwordContext(id)))
      await record(deps, tx, caller, 'connection.edit', id, {
        before: auditedFields(connectionFields(before)),
        after: {
          ...auditedFields(connectionFields(after)),
          ...(hasNewPassword ? { isCredentialChanged: true } : {}),
          ...(changed === undefined ? {} : { isDestinationChanged: true }),
        },
      })
    }),
  )
}

/** A stored password is only sent to the destination for which it was entered (decision 41). */
function refuseMovedPassword(
  { secrets }: ConnectionsDeps,
  before: ConnectionRow,
  changed: DestinationPart,
): void {
  if (!hasPassword(secrets, before)) return
  const { message, hint } = enterSecretAgain('password', changed)
  throw new Refusal('invalid', message, { fields: { password: hint } })
}

/** A password that this node cannot decrypt counts: another node may have its key. */
function hasPassword(secrets: ConnectionsDeps['secrets'], { id, encryptedPassword }: ConnectionRow): boolean {
  try {
    return secrets.decrypt(encryptedPassword, passwordContext(id)).length > 0
  } catch {
    return true
  }
}

export async function removeConnection(deps: ConnectionsDeps, id: number, caller: Caller): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const before = await mustLock(tx, id)
    await deleteConnection(tx, id)
    await record(deps, tx, caller, 'connection.delete', id, {
      before: auditedFields(connectionFields(before)),
    })
  })
}

export type ConnectionOrder = 'connect' | 'disconnect' | 'restart'

/** Stores the order; the link's owner carries it out within a second. */
export async function orderConnection(
  deps: ConnectionsDeps,
  id: number,
  order: ConnectionOrder,
  caller: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const before = await mustLock(tx, id)
    const view = await viewConnection(tx, id)
    // Connect ends the pause of a failing link; on a link that is connected or connecting it changes nothing.
    const reconnects = order === 'restart' || (order === 'connect' && view?.status === 'error')
    await setWanted(tx, id, order !== 'disconnect', reconnects)
    await record(deps, tx, caller, `connection.${order}`, id, {
      before: { isWanted: before.isWanted },
      after: { name: before.name, isWanted: order !== 'disconnect' },
    })
  })
}

/** Makes every wanted connection reconnect; returns how many. */
export async function restartAll(deps: ConnectionsDeps, caller: Caller): Promise<number> {
  return transaction(deps.db, async (tx) => {
    const restarted = await restartEnabled(tx)
    for (const { id, name } of restarted)
      await record(deps, tx, caller, 'connection.restart', id, { after: { name, isWanted: true } })
    return restarted.length
  })
}

/** Writes a test of the credentials and its result to the audit log. */
export async function recordTest(
  deps: ConnectionsDeps,
  { id, name }: Pick<ConnectionRow, 'id' | 'name'>,
  success: boolean,
  caller: Caller,
): Promise<void> {
  await transaction(deps.db, (tx) =>
    record(deps, tx, caller, 'connection.test', id, { after: { name, success } }),
  )
}

/** Queues a message. Throws Refusal wrong_state unless the link is connected and may send. */
export async function queueSend(
  deps: ConnectionsDeps,
  id: number,
  message: { readonly from: string; readonly to: string; readonly text: string },
  caller: Caller,
): Promise<ConnectionSend> {
  const { db, secrets } = deps
  return transaction(db, async (tx) => {
    const connection = await mustLock(tx, id)
    const view = await viewConnection(tx, id)
    // Spec §8.
    if (view?.status !== 'connected')
      throw new Refusal(
        'wrong_state',
        'Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.',
      )
    if (connection.bindType === 'receiver')
      throw new Refusal(
        'wrong_state',
        'This connection is bound as a receiver, so nothing can be sent over it.',
      )
    const sendId = await insertSend(tx, { connectionId: id, ...message, createdBy: caller.actor.username })
    await setSendText(tx, sendId, secrets.encrypt(message.text, textContext(sendId)))
    await record(deps, tx, caller, 'connection.send', id, {
      after: { name: connection.name, from: message.from, to: message.to },
    })
    const [queued] = await recentSends(tx, id)
    if (queued === undefined) throw new Error('The queued message is not there')
    return queued
  })
}

async function mustLock(tx: Db, id: number): Promise<ConnectionRow> {
  const found = await lockConnection(tx, id)
  if (found === undefined) throw unknownConnection()
  return found
}

function refuseTakenName<T>(name: string, work: () => Promise<T>): Promise<T> {
  return refuseWhereBroken(
    'smpp_connections_name_key',
    () => nameTaken(sentence('There is a connection named {name} already. Choose another name.', { name })),
    work,
  )
}

function record(
  { audit }: ConnectionsDeps,
  tx: Db,
  caller: Caller,
  action: string,
  id: number,
  change: { before?: object; after?: object },
): Promise<void> {
  return audit.record(tx, { ...caller, action, objectType: 'connection', objectId: String(id), ...change })
}
