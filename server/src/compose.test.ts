// The whole API, as the gateway serves it.
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { fillPath, type Route } from '@tollgate/contract/route.ts'
import { settingNames } from '@tollgate/contract/settings/setting-names.ts'
import { permissions } from '@tollgate/contract/vocabulary.ts'
import { refuseUnlessAllowed } from './http/authorize.ts'
import { systemClock } from './platform/clock.ts'
import { openTestApi, testRefusals } from '../test/http/api.ts'
import { composeOn } from '../test/environment/slices.ts'
import { openTestDatabase } from '../test/environment/database.ts'

const database = await openTestDatabase({ user: 'tollgate_app' })
const { routes } = await composeOn(database)
const api = await openTestApi(routes)
testRefusals(routes, api)
// Each call is somebody else's, or the limit of calls per second would answer.
let walkerId = 1_000_000_000

// Writing routes that ask for no fresh sign-in, each with the reason. A new one must choose: this list, or `fresh`.
const notFresh: Readonly<Record<string, string>> = {
  login: 'it is the sign-in',
  register: 'anybody signs up; the service asks staff who make an account for another',
  logout: 'it only gives up rights',
  changePassword: 'it asks for the password itself',
  requestPasswordReset: 'nobody is signed in yet',
  openResetLink: 'the link itself is the proof',
  useResetLink: 'the link itself is the proof',
  revokeResetLink: 'it only takes a right away, and whoever suspects a theft must not be held up',
  reauthenticate: 'it is how a sign-in becomes fresh',
  startPasskeyLogin: 'nobody is signed in yet',
  loginWithPasskey: 'it is the sign-in',
  startPasskeyConfirmation: 'it is how a sign-in becomes fresh',
  renamePasskey: 'a name that only its owner sees',
  withdrawUserKey: 'it only takes a right away, and whoever suspects a theft must not be held up',
  deleteKey: 'it only takes a right away, and whoever suspects a theft must not be held up',
  exportChosenUsers: 'it reads',
  exportChosenInventory: 'it reads',
  exportChosenRequests: 'it reads',
  exportChosenAccountNumbers: 'it reads',
  exportChosenPremiumNumbers: 'it reads',
  exportChosenRanges: 'it reads',
  exportChosenRecords: 'it reads',
  exportChosenRecordsAsParquet: 'it reads',
  endSession: 'it only gives a right up, and whoever suspects a theft must not be held up',
  endOtherSessions: 'it only gives rights up, and whoever suspects a theft must not be held up',
  createRequest: 'a wish; staff decide on it',
  editRequest: 'a wish; staff decide on it',
  withdrawRequest: 'it only gives a wish up',
  createNote: 'a remark for colleagues; nothing follows from it',
  deleteNote: 'a remark for colleagues; nothing follows from it',
  connectConnection: 'running a link; its terms and its secret stay',
  disconnectConnection: 'running a link; its terms and its secret stay',
  restartConnection: 'running a link; its terms and its secret stay',
  testConnection: 'a trial that stores nothing',
  sendTestMessage: 'a message; programs send them too',
  restartAll: 'running the links; their terms and secrets stay',
  testServer: 'a trial that stores nothing',
  disconnectBind: 'the peer binds again',
  switchFlight: 'it watches a link for a while',
  pauseCdrSchedule: 'running a schedule; where its files go stays',
  resumeCdrSchedule: 'running a schedule; where its files go stays',
  testCdrSchedule: 'a trial; it goes where files go already',
  sendCdrFile: 'running a schedule; where its files go stays',
  testEndpoint: 'a trial; it goes where records go already',
  replayDelivery: 'it goes where records go already',
  replayFailed: 'it goes where records go already',
  sendDeliveryNow: 'it goes where records go already',
  pauseEndpoint: 'running an address; where records go stays',
  resumeEndpoint: 'running an address; where records go stays',
  testOwnEndpoint: 'a trial; it goes where records go already',
  replayOwnDelivery: 'it goes where records go already',
  replayOwnFailed: 'it goes where records go already',
  sendOwnDeliveryNow: 'it goes where records go already',
  pauseOwnEndpoint: 'running an address; where records go stays',
  resumeOwnEndpoint: 'running an address; where records go stays',
  previewProvider: 'a trial that stores nothing',
  readImportColumns: 'it reads a file and stores nothing',
  compareCounts: 'it reads a file and stores nothing',
  testProvider: 'a trial that stores nothing',
  startProvider: 'running a source; its terms and its secret stay',
  stopProvider: 'running a source; its terms and its secret stay',
  replayDeadLetter: 'rows that the source sent become the records they were to be',
  replayDeadLetters: 'rows that the source sent become the records they were to be',
  acknowledgeAlert: 'it says who deals with it; the alert stays on the page',
  withdrawAcknowledgement: 'it is told again',
  readNotifications: "the person's own mark",
  editPreferences: 'looks and mails of one person; mails that warn are always sent',
  keepScreen: 'looks of one person',
  keepAnalyticsMail: 'it goes to the person’s own address and tells what the person may read',
  deleteAnalyticsMail: 'it only ends a mail to oneself',
  simulateMessage: 'a test message earns nobody anything',
  setSupplierAlias: 'a name that clients see; no terms and no secret',
}

test('every writing route asks for a fresh sign-in, or stands in the list of those that need none', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const open = table.filter(([, { method, fresh }]) => method !== 'GET' && fresh === undefined)
  expect(open.map(([name]) => name).toSorted()).toEqual(Object.keys(notFresh).toSorted())
})

// The password is asked for again after five minutes, not once an hour: payments, addresses, wallets, secrets, roles, and
// ways into an account.
const alwaysAsked = [
  'acknowledgeAuditBreak',
  'addPasskey',
  'allowClose',
  'approveResetLink',
  'approveRun',
  'closeRun',
  'configureCustomProvider',
  'confirmTotp',
  'createCdrSchedule',
  'createConnection',
  'createKey',
  'createPayment',
  'createProvider',
  'createResetLink',
  'decideAmendment',
  'decideErasure',
  'decidePayment',
  'decidePayoutPayment',
  'decidePeriodPayment',
  'decideSettingChange',
  'decideTermsChange',
  'decideTransfer',
  'editCdrSchedule',
  'editConnection',
  'editProvider',
  'editUser',
  'explainTransfer',
  'exportRun',
  'exportSubscriber',
  'getSmppCredentials',
  'importRunHashes',
  'matchTransfer',
  'payPeriod',
  'processPayout',
  'putProfile',
  'putSetting',
  'putTerms',
  'readdressPeriod',
  'removePasskey',
  'removeSecondFactorOf',
  'removeTotp',
  'renewRecoveryCodes',
  'renewSmppCredentials',
  'replacePaymentHash',
  'requestErasure',
  'rotateOwnSecret',
  'rotateSecret',
  'setSmppAccess',
  'setUserRole',
  'startPasskey',
  'startTotp',
  'withdrawFactorReset',
]

test('money out, addresses, wallets, secrets and roles ask for the password after five minutes, the rest after an hour', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const asked = table.filter(([, { fresh }]) => fresh === 'now')
  expect(asked.map(([name]) => name).toSorted()).toEqual(alwaysAsked)
})

test('only a route that can be tried without effect asks nobody who tries it', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const tried = table.filter(([, { hasDryRun }]) => hasDryRun === true)
  expect(tried.map(([name]) => name).toSorted()).toEqual([
    'importDispute',
    'importListedSenders',
    'importPremiumNumbers',
    'importRunHashes',
  ])
  const old = { userId: 1, username: 'ada', role: 'admin', authenticatedAt: new Date(0) } as const
  for (const [, route] of tried) {
    expect(() => refuseUnlessAllowed(route, old, systemClock, { dryRun: 'true' })).not.toThrow()
    for (const query of [{}, { dryRun: 'false' }, { dryRun: ['true', 'false'] }])
      expect(() => refuseUnlessAllowed(route, old, systemClock, query)).toThrow('Confirm your password')
  }
  const others = table.filter(([, { fresh, hasDryRun }]) => fresh !== undefined && hasDryRun !== true)
  for (const [, route] of others)
    expect(() => refuseUnlessAllowed(route, old, systemClock, { dryRun: 'true' })).toThrow()
})

test('a session that must do something first can do that, and nothing else', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const open = table.filter(([, { isOpenToRestricted }]) => isOpenToRestricted === true)
  expect(open.map(([name]) => name).toSorted()).toEqual([
    'addPasskey',
    'changePassword',
    'confirmTotp',
    'currentUser',
    'getSecondFactor',
    'listKeys',
    'reauthenticate',
    'startPasskey',
    'startPasskeyConfirmation',
    'startTotp',
  ])
})

test('a program needs no password, so no route that is open to programs asks for one', () => {
  const both = all.filter(({ fresh, scope }) => fresh !== undefined && scope !== undefined)
  expect(both.map(({ path }) => path)).toEqual([])
})

// POSTs without an Idempotency-Key, each with the reason why sending one again makes nothing a second time. A new one must
// choose: this list, or `isIdempotent`.
const reads = 'it reads'
const triesOut = 'a trial that stores nothing'
const setsState = 'it sets a state, and the second call finds it set'
const marksDone = 'it is done once, and the second call finds nothing left to do'
const sameEvent = 'the receiver knows the event by its webhook-id'
const forOnce = 'a challenge or a link counts once'
const onceOtherwise: Readonly<Record<string, string>> = {
  login: 'another session takes nothing from the first',
  logout: setsState,
  reauthenticate: setsState,
  startPasskeyLogin: forOnce,
  loginWithPasskey: forOnce,
  startPasskeyConfirmation: forOnce,
  startPasskey: forOnce,
  startTotp: 'only the newest secret waits, until a code of it is entered',
  renewRecoveryCodes: 'only the newest codes count, and they are kept as hashes alone',
  requestPasswordReset: 'the mails to one account are limited',
  openResetLink: reads,
  useResetLink: forOnce,
  undoNumberImport: 'an import is undone once, and its row says so',
  exportChosenUsers: reads,
  exportChosenInventory: reads,
  exportChosenRequests: reads,
  exportChosenAccountNumbers: reads,
  exportChosenPremiumNumbers: reads,
  exportChosenRanges: reads,
  exportChosenRecords: reads,
  exportChosenRecordsAsParquet: reads,
  findSubscriber: reads,
  exportSubscriber: reads,
  connectConnection: setsState,
  disconnectConnection: setsState,
  restartConnection: setsState,
  restartAll: setsState,
  disconnectBind: setsState,
  startProvider: setsState,
  stopProvider: setsState,
  configureCustomProvider: setsState,
  pauseCdrSchedule: setsState,
  resumeCdrSchedule: setsState,
  sendCdrFile: setsState,
  testCdrSchedule: triesOut,
  pauseEndpoint: setsState,
  resumeEndpoint: setsState,
  pauseOwnEndpoint: setsState,
  resumeOwnEndpoint: setsState,
  bulkSetNumberStatus: setsState,
  setMatchingNumberStatus: setsState,
  assignMatchingNumbers: 'a number has one holder at a time',
  unassignMatchingNumbers: setsState,
  setMatchingRangeStatus: setsState,
  setMatchingUserStatus: setsState,
  processMatchingRequests: marksDone,
  undoNumbersChange: 'a change is undone once, and its row says so',
  undoUsersChange: 'a change is undone once, and its row says so',
  bulkSetRangeStatus: setsState,
  bulkAssignNumbers: 'a number has one holder at a time',
  bulkUnassignNumbers: setsState,
  bulkProcessRequests: marksDone,
  acknowledgeAuditBreak: marksDone,
  allowClose: marksDone,
  replayDeadLetter: marksDone,
  replayDeadLetters: marksDone,
  readImportColumns: reads,
  compareCounts: reads,
  testConnection: triesOut,
  testServer: triesOut,
  testProvider: triesOut,
  previewProvider: triesOut,
  testEndpoint: triesOut,
  testOwnEndpoint: triesOut,
  sendDeliveryNow: sameEvent,
  replayDelivery: sameEvent,
  replayFailed: sameEvent,
  sendOwnDeliveryNow: sameEvent,
  replayOwnDelivery: sameEvent,
  replayOwnFailed: sameEvent,
}

test('every POST takes an Idempotency-Key, or makes nothing a second time for another reason', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const posts = table.filter(([, { method }]) => method === 'POST')
  expect(posts.length).toBeGreaterThan(50)
  const open = posts.filter(([, { isIdempotent }]) => isIdempotent !== true).map(([name]) => name)
  expect(open.toSorted()).toEqual(Object.keys(onceOtherwise).toSorted())
})

const anyParams = ['1', 'csv', 'connection-1', '0'.repeat(32)]

/** The path with any parameters that its schema takes. */
function anyPath({ path, params }: Route): string {
  const shape = (params as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
  const fitting = Object.entries(shape).map(([name, schema]) => [
    name,
    anyParams.find((each) => schema.safeParse(each).success),
  ])
  return fillPath(path, Object.fromEntries(fitting))
}

test('no query takes a name that its route does not know, asked over HTTP by whoever may call it', async () => {
  for (const route of routes.flatMap(({ table }) => Object.values(table) as Route[])) {
    const role = route.access === 'public' ? undefined : permissions[route.access][0]
    const { status, body } = await api.call(route.method, `${anyPath(route)}?nobodyKnowsMe=1`, {
      ...(role && { cookie: api.signIn({ userId: (walkerId += 1), username: 'walker', role }) }),
    })
    const named = Object.keys(body?.fields ?? {})
    expect
      .soft([route.path, status, named])
      .toEqual([route.path, 400, expect.arrayContaining(['nobodyKnowsMe'])])
  }
})

test('every setting has a name for people, and every name is that of a setting', async () => {
  const cookie = api.signIn({ userId: (walkerId += 1), username: 'walker', role: 'admin' })
  const { body } = await api.call('GET', '/api/admin/settings', { cookie })
  const keys = (body as { settingKey: string }[]).map(({ settingKey }) => settingKey)
  expect(keys.toSorted()).toEqual(Object.keys(settingNames).toSorted())
})

test('no two routes answer at one address', () => {
  const calls = routes.flatMap(({ table }) =>
    Object.values(table).map(({ method, path }) => `${method} ${path}`),
  )
  expect(calls.length).toBeGreaterThan(100)
  expect(new Set(calls).size).toBe(calls.length)
})

// How a list is walked and shown, not what is in it.
const walking = new Set(['sort', 'order', 'limit', 'cursor', 'columns', 'form', 'decimal', 'zone'])
// A client's own history always has the periods that came to no bill: on the page, too, they stand with the others.
const alwaysExported: Readonly<Record<string, readonly string[]>> = {
  '/api/billing/periods/export': ['unbilled'],
}

// The days that the earnings of each row are of; they leave out no row.
const daysOfFigures: Readonly<Record<string, readonly string[]>> = {
  '/api/ranges/export': ['dateFrom', 'dateTo'],
}

function filtersOf({ query }: Route): readonly string[] {
  const shape = (query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return Object.keys(shape).filter((name) => !walking.has(name))
}

const all = routes.flatMap(({ table }) => Object.values(table) as Route[])
const exported = all.filter(({ method, path }) => method === 'GET' && path.endsWith('/export'))

test.each(exported.map((route) => [route.path, route] as const))(
  '%s takes the filters of its list',
  (path, route) => {
    const list = all.find((other) => other.method === 'GET' && `${other.path}/export` === path)
    const filters = list === undefined ? [] : filtersOf(list)
    const narrowing = filters.filter((name) => alwaysExported[path]?.includes(name) !== true)
    const expected = [...narrowing, ...(daysOfFigures[path] ?? [])]
    expect(filtersOf(route).toSorted()).toEqual(expected.toSorted())
  },
)
