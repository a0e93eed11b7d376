// A working call of every route that an API key may call: OpenAPI shows them, and a test makes each of them as it stands
// there. Ids are of objects that the caller has.
import type { connectionsRoutes } from './connections.ts'
import type { ownEndpointsRoutes } from './endpoints.ts'
import type { recordsRoutes } from './records.ts'
import type { Route, RouteCall } from './route.ts'

type ExamplesOf<T extends Record<string, Route>> = { readonly [K in keyof T]?: RouteCall<T[K]> }

const record = { id: '01M85Y1SRY0000000000000400' }
const endpoint = { id: '3' }
const delivery = { ...endpoint, deliveryId: '4711' }
const week = { dateFrom: '2026-11-16', dateTo: '2026-11-22' }

const ofRecords: ExamplesOf<typeof recordsRoutes> = {
  listRecords: { query: { ...week, status: 'delivered', limit: 50 } },
  summariseRecords: { query: week },
  reportRecords: { query: { ...week, groupBy: 'day' } },
  exportRecords: { query: week },
  exportChosenRecords: { body: { ids: [record.id], columns: 'messageId,createdAt,amountUsd' } },
  exportRecordsAsParquet: { query: week },
  exportChosenRecordsAsParquet: { body: { ids: [record.id] } },
  getRecord: { params: record },
  readRecordText: { params: record },
  pollEvents: { query: { cursor: '740-0-1-0', limit: 100, waitSeconds: 1 } },
  streamEvents: { query: { lastEventId: '740-0-1-0' } },
}

const ofConnections: ExamplesOf<typeof connectionsRoutes> = {
  sendTestMessage: {
    params: { id: '1' },
    body: { from: 'Tollgate', to: '447700900123', text: 'Your table is ready.' },
  },
}

const ofEndpoints: ExamplesOf<typeof ownEndpointsRoutes> = {
  listOwnEndpoints: {},
  pauseOwnEndpoint: { params: endpoint },
  resumeOwnEndpoint: { params: endpoint },
  testOwnEndpoint: { params: endpoint },
  listOwnDeliveries: { params: endpoint, query: { status: 'failed', limit: 20 } },
  getOwnDelivery: { params: delivery },
  sendOwnDeliveryNow: { params: delivery },
  replayOwnDelivery: { params: delivery },
  replayOwnFailed: { params: endpoint },
}

/** By the name of the route. */
export const examples: Readonly<Record<string, RouteCall<Route>>> = {
  ...(ofRecords as Readonly<Record<string, RouteCall<Route>>>),
  ...(ofConnections as Readonly<Record<string, RouteCall<Route>>>),
  ...(ofEndpoints as Readonly<Record<string, RouteCall<Route>>>),
}
