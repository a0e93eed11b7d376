// SMPP connections as the server returns them, for tests.
import type { Connection } from '@tollgate/contract/connections/connections.ts'

const at = '2026-11-19T14:00:00.000Z'

/** A connection that is up. */
export const connectedLink: Connection = {
  id: '7',
  name: 'iprn-west',
  host: 'smsc.example.org',
  port: 2775,
  useTls: true,
  bindType: 'transceiver',
  systemId: 'tollgate01',
  password: '••••••••',
  systemType: '',
  interfaceVersion: '3.4',
  sourceTon: 1,
  sourceNpi: 1,
  destTon: 1,
  destNpi: 1,
  throughput: 100,
  answerIdForm: 'text',
  receiptIdForm: 'text',
  isReceiptByText: false,
  defaultAlphabet: 'gsm7',
  useNationalTables: false,
  isStrict: false,
  receiveWindow: 50,
  sendWindow: null,
  enquireLinkSeconds: null,
  allowedCidrs: [],
  status: 'connected',
  isWanted: true,
  lastHeartbeat: at,
  connectedAt: at,
  downSince: null,
  attempts: 1,
  lastAttempt: at,
  nextAttempt: null,
  lastErrorCode: null,
  lastError: '',
  node: 'one',
  messagesPerSecond: 0.42,
  sent24h: 1_234,
  received24h: 5,
  version: 1,
  createdAt: at,
  updatedAt: at,
}

/** A connection that the other side refuses. */
export const failingLink: Connection = {
  ...connectedLink,
  id: '8',
  name: 'iprn-east',
  status: 'error',
  connectedAt: null,
  downSince: at,
  lastErrorCode: 14,
  lastError: 'Invalid Password',
}
