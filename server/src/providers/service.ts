// What people do with providers: add, change, start, stop, delete. Each write is audited in its transaction.
import type { z } from 'zod'
import {
  customProviderId,
  providerDefaults,
  type configureCustomSchema,
  type createProviderSchema,
  type editProviderSchema,
} from '@tollgate/contract/providers/providers.ts'
import { changedProvider, enterSecretAgain, type DestinationPart } from '@tollgate/contract/destinations.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { checkVersion, nameTaken, refuseWhereBroken, rowId, withoutUndefined } from '../platform/refusals.ts'
import { transaction } from '../platform/transaction.ts'
import { ownParameter } from './fetch-page.ts'
import { secretContext, type ProvidersDeps } from './deps.ts'
import { askAboutSource, sourceKey, type KnownRows } from './known-source.ts'
import { earlierReading, fullMapping, isSameIdentity } from './mapping.ts'
import { hasRows } from './message-store.ts'
import { resetProgress } from './progress-store.ts'
import {
  findIdBySlug,
  findProvider,
  freeName,
  insertProvider,
  lockDeleted,
  lockProvider,
  markDeleted,
  setEarlierReadings,
  setEnabled,
  setSecret,
  setSlug,
  updateProvider,
  type ProviderFields,
  type ProviderRow,
} from './store.ts'

type CreateInput = z.output<typeof createProviderSchema>
type EditInput = z.output<typeof editProviderSchema>

const customName = 'Custom Provider'

export const unknownProvider = () =>
  new Refusal('not_found', 'There is no such provider. It may have been deleted; reload the list.')

/** The database id behind the API's id. Throws Refusal not_found. */
export async function providerIdOf(db: Db, id: string): Promise<number> {
  if (id !== customProviderId) return rowId(id, unknownProvider)
  const found = await findIdBySlug(db, id)
  if (found === undefined) throw unknownProvider()
  return found
}

/** The provider; throws Refusal not_found. */
export async function requireProvider(db: Db, id: number): Promise<ProviderRow> {
  const found = await findProvider(db, id)
  if (found === undefined) throw unknownProvider()
  return found
}

export async function addProvider(deps: ProvidersDeps, input: CreateInput, caller: Caller): Promise<number> {
  return refuseTakenName(input.name, () =>
    transaction(deps.db, (tx) => insertWhole(deps, tx, { input, slug: null, caller })),
  )
}

/** Adds or changes the custom provider, which Spec §7 configures caller a call of its own. */
export async function configureCustom(
  deps: ProvidersDeps,
  input: z.output<typeof configureCustomSchema>,
  caller: Caller,
): Promise<number> {
  return refuseTakenName(input.name ?? customName, () =>
    transaction(deps.db, async (tx) => {
      const id = await findIdBySlug(tx, customProviderId)
      if (id !== undefined) {
        await editWithin(deps, tx, { id, input, caller })
        return id
      }
      const whole = { ...blank, ...withoutUndefined(input) }
      return insertWhole(deps, tx, { input: whole, slug: customProviderId, caller })
    }),
  )
}

const blank: Omit<CreateInput, 'apiUrl'> = {
  name: customName,
  authType: 'bearer',
  apiKey: '',
  username: '',
  password: '',
  pollInterval: providerDefaults.pollIntervalMs,
  lookback: providerDefaults.lookbackMs,
  gapAlarm: providerDefaults.gapAlarmMs,
  startAt: null,
  timeZone: 'UTC',
  enabled: false,
  mapping: {},
}

export async function editProvider(
  deps: ProvidersDeps,
  id: number,
  input: EditInput,
  caller: Caller,
): Promise<void> {
  await refuseTakenName(input.name ?? '', () =>
    transaction(deps.db, (tx) => editWithin(deps, tx, { id, input, caller })),
  )
}

export async function removeProvider(deps: ProvidersDeps, id: number, caller: Caller): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const before = await requireLocked(tx, id)
    await markDeleted(tx, id)
    await record(deps, tx, caller, 'provider.delete', id, { before: auditFields(before) })
  })
}

/** Stores the order; the node that polls the provider acts on it within a second. */
export async function orderProvider(
  deps: ProvidersDeps,
  id: number,
  order: 'start' | 'stop',
  caller: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const before = await requireLocked(tx, id)
    await setEnabled(tx, id, order === 'start')
    await record(deps, tx, caller, `provider.${order}`, id, {
      before: { isEnabled: before.isEnabled },
      after: { isEnabled: order === 'start' },
    })
  })
}

interface NewProvider {
  readonly input: CreateInput
  readonly slug: string | null
  readonly caller: Caller
}

/** Restores a deleted provider of that name or address: its rows that are records already must not be stored twice. */
async function insertWhole(
  deps: ProvidersDeps,
  tx: Db,
  { input, slug, caller }: NewProvider,
): Promise<number> {
  const fields = fieldsOf(input)
  checkAddress(fields.apiUrl)
  const secret = secretOf(fields.authType, input)
  checkCredentials(fields, secret !== undefined)
  const deleted = await lockEarlier(tx, fields, input.knownRows)
  const id = deleted?.id ?? (await insertProvider(tx, slug, fields))
  if (deleted !== undefined) {
    await updateProvider(tx, id, fields)
    await keepReading(tx, deleted, fields)
    if (slug !== null) await setSlug(tx, id, slug)
  }
  await setSecret(tx, id, encryptSecret(deps, id, secret))
  const { knownRows } = input
  await record(deps, tx, caller, 'provider.create', id, {
    after: { ...auditFields(fields), ...(knownRows !== undefined && { knownRows }) },
  })
  return id
}

/** The deleted provider that comes back. */
async function lockEarlier(
  tx: Db,
  { name, apiUrl }: ProviderFields,
  knownRows: KnownRows,
): Promise<ProviderRow | undefined> {
  const named = await lockDeleted(tx, { name })
  const isSame = named !== undefined && sourceKey(named.apiUrl) === sourceKey(apiUrl)
  if (isSame) return named
  const keptId = await askAboutSource(tx, { apiUrl, ownId: undefined, knownRows })
  if (keptId === undefined) return named
  if (named !== undefined && named.id !== keptId) await freeName(tx, named.id)
  return lockDeleted(tx, { id: keptId })
}

const earlierReadingsMax = 50

/** With another mapping its rows have other keys; those that they had stay known. */
async function keepReading(tx: Db, before: ProviderRow, after: ProviderFields): Promise<void> {
  if (isSameIdentity(before.mapping, after.mapping) && before.timeZone === after.timeZone) return
  if (!(await hasRows(tx, before.id))) return
  const readings = [
    earlierReading(before, Date.now()),
    ...before.earlierReadings.filter(
      (each) => !isSameIdentity(each.mapping, before.mapping) || each.timeZone !== before.timeZone,
    ),
  ]
  if (readings.length > earlierReadingsMax)
    throw new Refusal(
      'wrong_state',
      'The mapping of this provider was corrected too often for its rows to stay known. Go back to one that it had.',
    )
  await setEarlierReadings(tx, before.id, readings)
}

interface ProviderEdit {
  readonly id: number
  readonly input: EditInput
  readonly caller: Caller
}

async function editWithin(deps: ProvidersDeps, tx: Db, { id, input, caller }: ProviderEdit): Promise<void> {
  const before = await requireLocked(tx, id)
  checkVersion(input.version, before.version)
  const after = merged(before, input)
  checkAddress(after.apiUrl)
  const secret = secretOf(after.authType, input)
  const changed = changedProvider(before, after)
  const keepsSecret = isSameKind(before.authType, after.authType) && before.encryptedSecret !== null
  if (keepsSecret && secret === undefined && changed !== undefined)
    throw secretMissing(after.authType, changed)
  checkCredentials(after, secret !== undefined || keepsSecret)
  if (sourceKey(before.apiUrl) !== sourceKey(after.apiUrl))
    await askAboutSource(tx, { apiUrl: after.apiUrl, ownId: id, knownRows: input.knownRows })
  await updateProvider(tx, id, after)
  await keepReading(tx, before, after)
  if (secret !== undefined || !keepsSecret) await setSecret(tx, id, encryptSecret(deps, id, secret))
  if (isOtherSource(before, after)) await resetProgress(tx, id)
  await record(deps, tx, caller, 'provider.edit', id, {
    before: auditFields(before),
    after: {
      ...auditFields(after),
      ...(secret === undefined ? {} : { isCredentialChanged: true }),
      ...(changed === undefined ? {} : { isDestinationChanged: true }),
    },
  })
}

/** With another address or mapping the cursor means nothing, and all rows may be new. */
function isOtherSource(before: ProviderFields, after: ProviderFields): boolean {
  return (
    before.apiUrl !== after.apiUrl ||
    JSON.stringify(fullMapping(before.mapping)) !== JSON.stringify(after.mapping) ||
    before.timeZone !== after.timeZone ||
    before.startAt?.getTime() !== after.startAt?.getTime()
  )
}

function fieldsOf(input: CreateInput): ProviderFields {
  return {
    name: input.name,
    apiUrl: input.apiUrl,
    authType: input.authType,
    username: input.authType === 'basic' ? input.username : '',
    pollIntervalMs: input.pollInterval,
    lookbackMs: input.lookback,
    gapAlarmMs: input.gapAlarm,
    startAt: input.startAt === null ? null : new Date(input.startAt),
    timeZone: input.timeZone,
    mapping: fullMapping(input.mapping),
    isEnabled: input.enabled,
  }
}

function merged(before: ProviderRow, input: EditInput): ProviderFields {
  const authType = input.authType ?? before.authType
  const username = input.username === undefined || input.username === '' ? before.username : input.username
  return {
    name: input.name ?? before.name,
    apiUrl: input.apiUrl ?? before.apiUrl,
    authType,
    username: authType === 'basic' ? username : '',
    pollIntervalMs: input.pollInterval ?? before.pollIntervalMs,
    lookbackMs: input.lookback ?? before.lookbackMs,
    gapAlarmMs: input.gapAlarm ?? before.gapAlarmMs,
    startAt:
      input.startAt === undefined ? before.startAt : input.startAt === null ? null : new Date(input.startAt),
    timeZone: input.timeZone ?? before.timeZone,
    mapping: fullMapping({ ...before.mapping, ...input.mapping }),
    isEnabled: input.enabled ?? before.isEnabled,
  }
}

type AuthType = ProviderFields['authType']

/** Whether both use a password, or both a key: one is never used as the other. */
function isSameKind(one: AuthType, other: AuthType): boolean {
  return (one === 'basic') === (other === 'basic')
}

/** A stored key or password is sent only to the address that it was entered for (decision 41). */
export function secretMissing(authType: AuthType, changed: DestinationPart): Refusal {
  const isBasic = authType === 'basic'
  const { message, hint } = enterSecretAgain(isBasic ? 'password' : 'API key', changed)
  return new Refusal('invalid', message, { fields: { [isBasic ? 'password' : 'apiKey']: hint } })
}

function secretOf(
  authType: AuthType,
  { apiKey, password }: { apiKey?: string | undefined; password?: string | undefined },
): string | undefined {
  const secret = authType === 'basic' ? password : apiKey
  return secret === '' ? undefined : secret
}

function checkCredentials({ authType, username }: ProviderFields, hasSecret: boolean): void {
  const fields: Record<string, string> = {}
  if (authType === 'basic' && username === '') fields['username'] = 'Username is required'
  if (!hasSecret) {
    if (authType === 'basic') fields['password'] = 'Password is required'
    else fields['apiKey'] = 'API key is required'
  }
  const [first] = Object.values(fields)
  if (first !== undefined)
    throw new Refusal(
      'invalid',
      sentence('{fault} for this kind of authentication.', { fault: { text: first } }),
      { fields },
    )
}

function checkAddress(apiUrl: string): void {
  if (!URL.canParse(apiUrl))
    throw new Refusal('invalid', 'The API URL is not an address.', {
      fields: { apiUrl: 'Enter an address such as https://api.example.com/records' },
    })
  const own = ownParameter(apiUrl)
  if (own !== undefined)
    throw new Refusal(
      'invalid',
      sentence('The API URL has a parameter {name}, which Tollgate adds itself.', { name: own }),
      { fields: { apiUrl: sentence('Remove the parameter {name}: Tollgate adds it itself', { name: own }) } },
    )
}

function encryptSecret({ secrets }: ProvidersDeps, id: number, secret: string | undefined): Buffer | null {
  return secret === undefined ? null : secrets.encrypt(secret, secretContext(id))
}

/** The provider, locked until the transaction ends; throws Refusal not_found. */
export async function requireLocked(tx: Db, id: number): Promise<ProviderRow> {
  const found = await lockProvider(tx, id)
  if (found === undefined) throw unknownProvider()
  return found
}

function refuseTakenName<T>(name: string, work: () => Promise<T>): Promise<T> {
  const constraints = ['providers_name_key', 'providers_slug_key']
  return refuseWhereBroken(
    constraints,
    () => nameTaken(sentence('There is a provider named {name} already. Choose another name.', { name })),
    work,
  )
}

function record(
  { audit }: ProvidersDeps,
  tx: Db,
  caller: Caller,
  action: string,
  id: number,
  change: { before?: object; after?: object },
): Promise<void> {
  return audit.record(tx, { ...caller, action, objectType: 'provider', objectId: String(id), ...change })
}

/** What the audit shows: everything but the credentials. */
function auditFields(fields: ProviderFields): ProviderFields {
  const { name, apiUrl, authType, username, pollIntervalMs, lookbackMs } = fields
  const { gapAlarmMs, startAt, timeZone, mapping, isEnabled } = fields
  const source = { name, apiUrl, authType, username, pollIntervalMs, lookbackMs }
  return { ...source, gapAlarmMs, startAt, timeZone, mapping, isEnabled }
}
