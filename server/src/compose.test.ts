// The whole API, as the gateway serves it.
import { expect, test } from 'vitest'
import type { Route } from '@tollgate/contract/route.ts'
import { openTestApi, testRefusals } from '../test/api.ts'
import { openTestDatabase, silentLog } from '../test/harness.ts'
import { compose } from './compose.ts'
import { systemClock } from './platform/clock.ts'
import { readConfig } from './platform/process/config.ts'

const database = await openTestDatabase({ user: 'tollgate_app' })
const { routes } = await compose({
  config: readConfig({}),
  storage: { database, heavy: database, address: database.address, checks: {}, close: async () => undefined },
  log: silentLog,
  clock: systemClock,
  rootKey: 'x'.repeat(64),
})
testRefusals(routes, await openTestApi(routes))

// Writing routes that ask for no fresh sign-in, each with the reason. A new one must choose: this list, or `isFresh`.
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
  deleteKey: 'it only takes a right away, and whoever suspects a theft must not be held up',
  exportChosenUsers: 'it reads',
  exportChosenInventory: 'it reads',
  exportChosenRequests: 'it reads',
  exportChosenAccountNumbers: 'it reads',
  exportChosenPremiumNumbers: 'it reads',
  exportChosenRanges: 'it reads',
  exportChosenRecords: 'it reads',
  endSession: 'it only gives a right up, and whoever suspects a theft must not be held up',
  endOtherSessions: 'it only gives rights up, and whoever suspects a theft must not be held up',
  createRequest: 'a wish; staff decide on it',
  connectConnection: 'running a link; its terms and its secret stay',
  disconnectConnection: 'running a link; its terms and its secret stay',
  restartConnection: 'running a link; its terms and its secret stay',
  testConnection: 'a trial that stores nothing',
  sendTestMessage: 'a message; programs send them too',
  restartAll: 'running the links; their terms and secrets stay',
  testServer: 'a trial that stores nothing',
  disconnectBind: 'the peer binds again',
  switchFlight: 'it watches a link for a while',
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
  testProvider: 'a trial that stores nothing',
  startProvider: 'running a source; its terms and its secret stay',
  stopProvider: 'running a source; its terms and its secret stay',
  replayDeadLetter: 'rows that the source sent become the records they were to be',
  replayDeadLetters: 'rows that the source sent become the records they were to be',
}

test('every writing route asks for a fresh sign-in, or stands in the list of those that need none', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const open = table.filter(([, { method, isFresh }]) => method !== 'GET' && isFresh !== true)
  expect(open.map(([name]) => name).toSorted()).toEqual(Object.keys(notFresh).toSorted())
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
  const both = all.filter(({ isFresh, scope }) => isFresh === true && scope !== undefined)
  expect(both.map(({ path }) => path)).toEqual([])
})

// What a POST with the status 201 makes exists once, however often the call is sent; these have another reason for it.
const onceOtherwise: Readonly<Record<string, string>> = {
  register: 'a username exists once, and a stranger has nobody to keep a key for',
  addPasskey: 'its challenge counts once',
}

test('every route that makes something takes an Idempotency-Key, or makes it once for another reason', () => {
  const table = routes.flatMap(({ table }) => Object.entries(table) as [string, Route][])
  const making = table.filter(([, { method, status }]) => method === 'POST' && status === 201)
  expect(making.length).toBeGreaterThan(10)
  const open = making.filter(([, { isIdempotent }]) => isIdempotent !== true).map(([name]) => name)
  expect(open.toSorted()).toEqual(Object.keys(onceOtherwise).toSorted())
})

test('no two routes answer at one address', () => {
  const calls = routes.flatMap(({ table }) =>
    Object.values(table).map(({ method, path }) => `${method} ${path}`),
  )
  expect(calls.length).toBeGreaterThan(100)
  expect(new Set(calls).size).toBe(calls.length)
})

// How a list is walked, not what is in it.
const walking = new Set(['sort', 'order', 'limit', 'cursor'])
// A client's own history always has the periods that came to no bill: on the page, too, they stand with the others.
const alwaysExported: Readonly<Record<string, readonly string[]>> = {
  '/api/billing/periods/export': ['unbilled'],
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
    expect(filtersOf(route).toSorted()).toEqual(narrowing.toSorted())
  },
)
