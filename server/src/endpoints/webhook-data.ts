// What a webhook carries: what was announced, or the record or the long message of its delivery, as the endpoint may see it (decision 22).
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { messageIdOf, type RecordKey } from '../ingest/index.ts'
import {
  readContents,
  readForClients,
  readJoinedMessages,
  readMessagesForClients,
  type ClientMessage,
  type ClientRecord,
  type JoinedContents,
  type MessageContents,
} from '../records/index.ts'
import type { DueDelivery } from './delivery-store.ts'
import type { EndpointRow } from './store.ts'

interface WebhookDataDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly onFault: (error: unknown) => void
}

export interface WebhookContent {
  readonly data: object
  /** The id of what it is about: all that a GET names instead of the data. */
  readonly subject: string
  /** The record whose report the result changes; undefined for a number that had no client, and for a long message. */
  readonly record: RecordKey | undefined
}

/** The contents of these deliveries, by delivery id; of a record or message that is gone, nothing. */
export async function readWebhookData(
  deps: WebhookDataDeps,
  endpoint: EndpointRow,
  due: readonly DueDelivery[],
): Promise<Map<string, WebhookContent>> {
  const records = await recordData(deps, endpoint, due)
  return new Map([...records, ...(await messageData(deps, endpoint, due)), ...announcedData(due)])
}

/** What was announced is sent as it was at that moment. */
function announcedData(due: readonly DueDelivery[]): [string, WebhookContent][] {
  return due.flatMap(({ id, data, subject }) =>
    data === null ? [] : [[id, { data, subject, record: undefined }]],
  )
}

async function recordData(
  deps: WebhookDataDeps,
  endpoint: EndpointRow,
  due: readonly DueDelivery[],
): Promise<[string, WebhookContent][]> {
  const keyed = due.flatMap((delivery) => {
    const key = keyOf(delivery)
    return key === undefined ? [] : [{ id: delivery.id, key }]
  })
  const keys = keyed.map(({ key }) => key)
  const records = await readForClients(deps.db, keys, gatewayNameFor(endpoint))
  const contents = await readable(deps, () => readContents(deps.db, deps.secrets, keys))
  return keyed.map(({ id, key }) => {
    const found = records.get(key.recordId)
    const data = found && dataOfRecord(found, endpoint, contents?.get(key.recordId), contents !== undefined)
    const record = found === undefined || found.clientId === null ? undefined : key
    return [id, { data: data ?? {}, subject: messageIdOf(key), record }]
  })
}

async function messageData(
  deps: WebhookDataDeps,
  endpoint: EndpointRow,
  due: readonly DueDelivery[],
): Promise<[string, WebhookContent][]> {
  const keyed = due.flatMap(({ id, longMessageId }) =>
    longMessageId === null ? [] : [{ id, messageId: Number(longMessageId) }],
  )
  const ids = keyed.map(({ messageId }) => messageId)
  const messages = await readMessagesForClients(deps.db, ids, gatewayNameFor(endpoint))
  const joined = await readable(deps, () => readJoinedMessages(deps.db, deps.secrets, ids))
  return keyed.flatMap(({ id, messageId }) => {
    const found = messages.get(messageId)
    if (found === undefined) return []
    const data = dataOfMessage(found, endpoint, joined?.get(messageId))
    return [[id, { data, subject: found.message.messageId, record: undefined }]]
  })
}

/** Undefined when it cannot be decrypted: a lost key would fail each time, so the webhook goes without what was read. */
async function readable<T>({ onFault }: WebhookDataDeps, read: () => Promise<T>): Promise<T | undefined> {
  return read().catch((error: unknown) => {
    onFault(error)
    return undefined
  })
}

/**
 * The text goes to the client's own endpoint, if the client may read the texts of its own messages; an endpoint that takes
 * everybody's records belongs to the operator, who sees no text.
 */
function seesText({ userId, clientRole }: EndpointRow, clientId: number | null): boolean {
  const isOwn = userId !== null && userId === clientId
  return isOwn && clientRole !== '' && isPermitted(clientRole, 'textRead')
}

/** A client's endpoint sees a supplier's alias, the operator's its name. */
const gatewayNameFor = ({ userId }: EndpointRow) => (userId === null ? 'name' : 'alias')

/** With `isRead` false the contents could not be read, and the text stays masked. */
function dataOfRecord(
  { clientId, record }: ClientRecord,
  endpoint: EndpointRow,
  contents: MessageContents | undefined,
  isRead: boolean,
): object {
  const isOpen = isRead && seesText(endpoint, clientId)
  return {
    ...record,
    ...(isOpen ? { text: contents?.text ?? '' } : {}),
    encoding: contents?.encoding ?? null,
    raw: isOpen ? (contents?.raw ?? null) : null,
    sent: endpoint.userId === null || isOpen ? (contents?.sent ?? null) : null,
  }
}

function dataOfMessage(
  { clientId, message }: ClientMessage,
  endpoint: EndpointRow,
  joined: JoinedContents | undefined,
): object {
  return joined !== undefined && seesText(endpoint, clientId) ? { ...message, ...joined } : message
}

function keyOf({ recordCreatedAt, recordId }: DueDelivery): RecordKey | undefined {
  if (recordCreatedAt === null || recordId === null) return undefined
  return { createdAtMs: recordCreatedAt.getTime(), recordId: Number(recordId) }
}
